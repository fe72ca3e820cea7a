import type { ObjectReader } from '../git/objects.ts';
import type { FailedCheck } from './verify.ts';
import type { ChangedFile } from './work-tree/tree-changes.ts';

/** Lines that git writes into a file where both sides changed it; Markdown underlines look like the middle one. */
const opening = /^<{7} /m;
const closing = /^>{7} /m;

const mostBytes = 32 * 1024 * 1024;

/** Those of the files that met a conflict which still hold its markers. */
export async function stillConflicted(
  objects: ObjectReader,
  conflicts: readonly string[],
  changed: readonly ChangedFile[],
): Promise<string[]> {
  const blobs = new Map(changed.map(({ path, blob }) => [path, blob]));
  const left: string[] = [];
  for (const path of conflicts) {
    const blob = blobs.get(path) ?? null;
    if (blob === null || ((await objects.info(blob))?.size ?? 0) > mostBytes) continue;
    const text = (await objects.readBlob(blob, mostBytes)).toString('latin1');
    if (opening.test(text) && closing.test(text)) left.push(path);
  }
  return left;
}

/** What the next try is told about them. */
export function conflictsLeft(paths: readonly string[]): FailedCheck {
  const output = `These files still hold conflict markers:\n${paths.join('\n')}`;
  return { command: 'no conflict markers', exitCode: 1, timedOut: false, output };
}
