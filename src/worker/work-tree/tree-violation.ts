import type { TreeFile } from '../../git/write-objects.ts';

/** Something in the work tree that no tree may hold, or that could not be read; it is left out. */
export interface TreeViolation {
  readonly code:
    | 'symlink'
    | 'nested-git'
    | 'special-file'
    | 'unreadable-name'
    | 'case-twin'
    | 'too-large'
    | 'too-deep'
    | 'too-many-files';
  readonly path: string;
}

/** New paths, or folders of theirs, that differ from others only by case or Unicode form: some file systems would merge them. */
export function caseTwins(
  files: ReadonlyMap<string, TreeFile>,
  base: ReadonlyMap<string, TreeFile>,
): TreeViolation[] {
  const byFolded = new Map<string, string>();
  const twins = new Set<string>();
  // Base's own come first: what it holds already is not the agent's doing.
  const ordered = [...files.keys()].sort((left, right) => Number(base.has(right)) - Number(base.has(left)));
  for (const path of ordered) {
    for (const part of [...foldersOf(path), path]) {
      const folded = part.normalize('NFC').toLowerCase();
      const other = byFolded.get(folded);
      if (other !== undefined && other !== part && !base.has(path)) twins.add(path);
      byFolded.set(folded, other ?? part);
    }
  }
  return [...twins].map((path) => ({ code: 'case-twin', path }));
}

/** Every folder above a path, outermost first. */
export function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
