import type { Oid } from '../../domain/ids.ts';
import { kindOfMode } from '../../git/tree-bytes.ts';
import type { TreeFile } from '../../git/write-objects.ts';

export interface ChangedFile {
  readonly path: string;
  readonly kind: 'added' | 'modified' | 'deleted' | 'mode' | 'other';
  readonly blob: Oid | null;
}

/** What differs between base and what was read, in the order of the paths. */
export function changesBetween(
  base: ReadonlyMap<string, TreeFile>,
  files: ReadonlyMap<string, TreeFile>,
): ChangedFile[] {
  const changed: ChangedFile[] = [];
  for (const file of files.values()) {
    const before = base.get(file.path);
    if (before === undefined) changed.push({ path: file.path, kind: 'added', blob: file.oid });
    else if (before.oid !== file.oid || before.mode !== file.mode) changed.push(changeOf(before, file));
  }
  for (const before of base.values()) {
    if (!files.has(before.path)) changed.push({ path: before.path, kind: 'deleted', blob: null });
  }
  return changed.sort((left, right) => (left.path < right.path ? -1 : 1));
}

function changeOf(before: TreeFile, after: TreeFile): ChangedFile {
  const bothFiles = [before, after].every(({ mode }) => kindOfMode(mode) === 'blob');
  const kind = !bothFiles ? 'other' : before.oid === after.oid ? 'mode' : 'modified';
  return { path: after.path, kind, blob: after.oid };
}
