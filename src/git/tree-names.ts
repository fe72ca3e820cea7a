/**
 * Characters that HFS+ leaves out when it compares names, so that `.g<U+200C>it` is `.git` there (git's utf8.c,
 * `next_hfs_char`).
 */
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Why a name from a hostile tree must not be taken, or null when it may: names that lead out of the tree, name git's own
 * folder on any file system that people use, or cannot be shown as they are.
 */
export function hostileName(name: string, utf8: boolean): string | null {
  if (!utf8) return 'a name that is not UTF-8';
  if (name === '' || name === '.' || name === '..') return 'a name that leads elsewhere';
  if (/[/\\\0]/.test(name)) return 'a separator in a name';
  if (/[\u0001-\u001f\u007f]/.test(name)) return 'a control character in a name';
  if (Buffer.byteLength(name, 'utf8') > 255) return 'a name longer than 255 bytes';
  return isGitFolder(name) ? 'a name that some file systems take for .git' : null;
}

/** How a name looks to file systems that fold case and compose characters: equal keys cannot stand side by side there. */
export function foldedName(name: string): string {
  return name
    .replace(ignoredByHfs, '')
    .normalize('NFC')
    .toLowerCase()
    .normalize('NFC')
    .toUpperCase()
    .normalize('NFC');
}

/** NTFS drops trailing blanks and dots, knows `git~1` as a short name, and cuts at a stream's colon. */
function isGitFolder(name: string): boolean {
  const seen = name.replace(ignoredByHfs, '').toLowerCase();
  const [beforeStream = ''] = seen.split(':');
  const plain = beforeStream.replace(/[ .]+$/, '');
  return plain === '.git' || /^git~\d+$/.test(plain);
}
