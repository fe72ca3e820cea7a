/** `.git` as some file system or other would read it: case, trailing dots and blanks, short names, invisible characters. */
export function isGitName(name: string): boolean {
  const plain = name.replace(/[\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, '').toLowerCase();
  return /^(\.git|git~\d+)[. ]*(:.*)?$/.test(plain);
}
