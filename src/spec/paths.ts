/** A path as policy and guard compare it, or the reason why the text is none. */
export type PathReading = { kind: 'path'; path: string } | { kind: 'refused'; reason: string };

const refused = (reason: string): PathReading => ({ kind: 'refused', reason });

/**
 * Reads a repository-relative POSIX path or path pattern: a file, a folder that ends in `/`, or a glob whose `*` stops at
 * `/`. Leading `./` is dropped, and a trailing `/**` is read as the folder.
 */
export function readPathPattern(text: string): PathReading {
  const path = text.replace(/^(?:\.\/)+/, '').replace(/\/\*\*$/, '/');
  if (path.includes('**')) return refused('`**` is not read: name the folder with a trailing `/`');
  return checkPath(path);
}

/** Reads a path of one file. */
export function readFilePath(text: string): PathReading {
  const path = text.replace(/^(?:\.\/)+/, '');
  return path.endsWith('/') ? refused('it names a folder, not a file') : checkPath(path);
}

function checkPath(path: string): PathReading {
  if (path.length > 1024) return refused('it is longer than 1024 characters');
  if (path === '' || path === '.') return refused('it names the whole repository: name folders or files');
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(path))
    return refused('it holds a control character or line break');
  if (/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad\u061c]/.test(path))
    return refused('it holds an invisible character');
  if (/\p{Surrogate}/u.test(path) || path.normalize('NFC') !== path)
    return refused('it is not in Unicode form NFC');
  if (path.includes('\\')) return refused('it holds a backslash: write `/`');
  if (path.startsWith('/') || /^[a-z]:\//i.test(path))
    return refused('it is absolute: paths start at the top of the repository');
  if (/^[-!:~]/.test(path)) return refused('its first character has another meaning for git or a shell');
  if (path.trim() !== path) return refused('it starts or ends with a blank');
  return checkSegments(path);
}

function checkSegments(path: string): PathReading {
  const segments = (path.endsWith('/') ? path.slice(0, -1) : path).split('/');
  for (const segment of segments) {
    if (segment === '') return refused('it holds `//`');
    if (segment === '.' || segment === '..') return refused(`it holds \`${segment}\``);
    if (/^\.git$/i.test(segment)) return refused('nothing in `.git` can be changed by a task');
    if (segment !== segment.trimEnd()) return refused('a part of it ends with a blank');
  }
  return { kind: 'path', path };
}

/** A test named `path::name`. */
export function readTestId(text: string): PathReading {
  const at = text.indexOf('::');
  const name = at < 0 ? '' : text.slice(at + 2).trim();
  if (name === '') return refused('write `path::name of the test`');
  if (/[\u0000-\u001f\u007f]/.test(name)) return refused('its name holds a control character or line break');
  const file = readFilePath(text.slice(0, at).trim());
  return file.kind === 'path' ? { kind: 'path', path: `${file.path}::${name}` } : file;
}
