/** One line of a diff with its numbers on either side, null where the side has no such line. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'hunk' | 'note';
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
}

/** Reads the hunks of a unified diff (without its file header) into numbered lines. */
export function parsePatch(patch: string): DiffLine[] {
  let before = 0;
  let after = 0;
  return patch.split('\n').map((line) => {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (hunk !== null) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      return { kind: 'hunk', before: null, after: null, text: line };
    }
    const text = line.slice(1);
    if (line.startsWith('+')) return { kind: 'added', before: null, after: after++, text };
    if (line.startsWith('-')) return { kind: 'removed', before: before++, after: null, text };
    if (line.startsWith('\\')) return { kind: 'note', before: null, after: null, text: text.trim() };
    return { kind: 'same', before: before++, after: after++, text };
  });
}
