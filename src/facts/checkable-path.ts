import { posix } from 'node:path';

/** Characters that some file systems ignore in names, so that `.g\u200cit` becomes `.git`. */
const ignorable = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** Why a path of a git tree must not be written to disk; null when it may be. */
export function refusedPath(path: string): string | null {
  if (path === '' || path.startsWith('/') || path.length > 4096) return 'it is no path inside a tree';
  for (const part of path.split('/')) {
    if (part === '' || part === '.' || part === '..') return 'it leaves its folder';
    if (part.includes('\0') || Buffer.byteLength(part) > 255) return 'no file system can hold it';
    const plain = part
      .replace(ignorable, '')
      .replace(/[ .]+$/, '')
      .toLowerCase();
    if (plain === '.git' || plain === 'git~1' || plain.startsWith('.git:'))
      return 'it looks like the folder of git';
  }
  return null;
}

/** Whether a symbolic link at `path` stays inside the tree. */
export function linkStaysInside(path: string, target: string): boolean {
  if (target === '' || target.startsWith('/') || target.includes('\0')) return false;
  const end = posix.normalize(posix.join(posix.dirname(path), target));
  return end !== '..' && !end.startsWith('../') && !end.split('/').includes('.git');
}
