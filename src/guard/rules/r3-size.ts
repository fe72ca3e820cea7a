import type { FileChange, FileSide } from '../model/change.ts';
import { diffSequences } from '../model/line-diff.ts';
import { codeLines } from '../parse/code-lines.ts';
import { allowedRenames, type Draft, type Judged } from './judged.ts';
import { insideItems, rustTestItems } from './rust-tests.ts';

interface ChangedLines {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/**
 * R3: the production change stays small: lines removed plus lines added, over all production files, without blank lines,
 * comments and blanks at line ends; a line that only moved counts once. And not too many files.
 */
export function sizeRule(judged: Judged): Draft[] {
  const renames = allowedRenames(judged);
  const renamed = new Set([...renames.keys(), ...renames.values()]);
  const files = judged.change.changes.filter(
    ({ path }) => judged.roleOf(path) === 'production' && !renamed.has(path),
  );
  const counted = files.map((each) => ({ path: each.path, lines: changedLines(judged, each) }));
  const touched = counted.filter(({ lines }) => lines.removed.length + lines.added.length > 0);
  const total = countLines(touched.map(({ lines }) => lines));
  const found: Draft[] = [];
  if (total > judged.spec.maxProdLines) found.push(tooLong(total, judged.spec.maxProdLines));
  if (touched.length > judged.policy.guard.max_files)
    found.push(tooWide(touched.length, judged.policy.guard.max_files));
  return found;
}

function changedLines(judged: Judged, each: FileChange): ChangedLines {
  const base = countedLines(judged, each.path, each.base);
  const head = countedLines(judged, each.path, each.head);
  const { removed, added } = diffSequences(base, head);
  return {
    removed: removed.map((index) => base[index] ?? ''),
    added: added.map((index) => head[index] ?? ''),
  };
}

function countedLines(judged: Judged, path: string, side: FileSide | null): string[] {
  if (side?.text == null) return [];
  const lines = side.text.split('\n').map((line) => line.trimEnd());
  const tree = judged.parse(path, side);
  if (tree === null || tree.errorLines.length > 0) return lines.filter((line) => line !== '');
  const code = codeLines(tree);
  const tests = tree.language === 'rust' ? testLines(tree.text, rustTestItems(tree)) : null;
  return lines.filter((_, index) => code.has(index + 1) && tests?.has(index + 1) !== true);
}

function testLines(text: string, items: ReturnType<typeof rustTestItems>): ReadonlySet<number> {
  const found = new Set<number>();
  let start = 0;
  text.split('\n').forEach((line, index) => {
    const blank = {
      start: start + (line.length - line.trimStart().length),
      end: start + line.trimEnd().length,
    };
    if (insideItems(items, blank as Parameters<typeof insideItems>[1])) found.add(index + 1);
    start += line.length + 1;
  });
  return found;
}

function countLines(changes: readonly ChangedLines[]): number {
  const removed = new Map<string, number>();
  for (const line of changes.flatMap((change) => change.removed))
    removed.set(line, (removed.get(line) ?? 0) + 1);
  let total = [...removed.values()].reduce((sum, count) => sum + count, 0);
  for (const line of changes.flatMap((change) => change.added)) {
    const left = removed.get(line) ?? 0;
    if (left > 0) removed.set(line, left - 1);
    else total += 1;
  }
  return total;
}

function tooLong(total: number, limit: number): Draft {
  return {
    rule: 'R3',
    class: 'oversized-production',
    file: null,
    line: null,
    reason: `${total} lines of production code change; the task allows ${limit}.`,
    remedy: 'Make the smallest change that does it, or split the task.',
    subject: 'lines',
  };
}

function tooWide(files: number, limit: number): Draft {
  return {
    rule: 'R3',
    class: 'oversized-production',
    file: null,
    line: null,
    reason: `${files} production files change; the policy allows ${limit}.`,
    remedy: 'Touch fewer files, or split the task.',
    subject: 'files',
  };
}
