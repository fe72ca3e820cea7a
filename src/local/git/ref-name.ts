/** True when git and GitHub accept the name for a ref: `git check-ref-format` rules, below `refs/`, two slashes at least. */
export function isValidRefName(name: string): boolean {
  if (!/^refs\/[^/]+\/.+/.test(name) || name.endsWith('/') || name.endsWith('.') || name.includes('//'))
    return false;
  // No file holds such a name; what is no UTF-8 was read as U+FFFD, and would be another name.
  if (/\p{Surrogate}|\uFFFD/u.test(name)) return false;
  if (/[\x00-\x20\x7f~^:?*[\\]/.test(name) || name.includes('..') || name.includes('@{')) return false;
  return name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'));
}

/** Refs that only the server writes: everybody may fetch them, nobody may push them. */
export const isHiddenRef = (name: string): boolean => name.startsWith('refs/pull/');

/** Branch name of a full ref, or null. */
export const branchOf = (ref: string): string | null =>
  ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null;

/** Tag name of a full ref, or null. */
export const tagOf = (ref: string): string | null =>
  ref.startsWith('refs/tags/') ? ref.slice('refs/tags/'.length) : null;
