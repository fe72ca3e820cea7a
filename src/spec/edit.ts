/** What stands in place of a range of the source. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Outer edits win over those inside them, and of two for the same place the first; of two that overlap, both take away. */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  const ordered = [...edits].sort((left, right) => left.start - right.start || right.end - left.end);
  let result = '';
  let at = 0;
  for (const { start, end, text } of ordered) {
    if (start >= at) result += source.slice(at, start) + text;
    at = Math.max(at, end);
  }
  return result + source.slice(at);
}
