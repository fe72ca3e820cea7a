import { escapeText } from '../model/escape-text.ts';
import { invisibleCharacter } from './hidden-characters.ts';
import type { Draft, Judged } from './judged.ts';

/** R0: paths that file systems or people read differently from git: odd names, and names that fall together. */
export function hostilePathRule(judged: Judged): Draft[] {
  return [...oddPaths(judged), ...collisions(judged)];
}

function oddPaths(judged: Judged): Draft[] {
  return judged.change.changes.flatMap(({ path, head }) => {
    const why = head === null ? null : oddity(path);
    return why === null ? [] : [refuse('hostile-path', path, `The path ${escapeText(path)} ${why}.`)];
  });
}

const devices = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?$/i;

/** What is odd about a path, null for nothing. Blanks inside, quotes, `%`, `#`, a leading dash and accents are fine. */
export function oddity(path: string): string | null {
  if (path.length > 1000 || new TextEncoder().encode(path).length > 4000) return 'is too long';
  if (/[\u0000-\u001f\u007f-\u009f]/.test(path)) return 'holds a control character';
  if (path.includes('\\')) return 'holds a backslash';
  if (invisibleCharacter(path) !== null) return 'holds an invisible character';
  if (path !== path.normalize('NFC')) return 'is not in normal form C';
  if (path.startsWith('/') || path.includes('//')) return 'is not relative';
  for (const part of path.split('/')) {
    const why = oddPart(part);
    if (why !== null) return why;
  }
  return null;
}

function oddPart(part: string): string | null {
  if (part === '' || part === '.' || part === '..') return 'leaves its folder';
  if (/^[\s\p{Z}]|[\s\p{Z}.]$/u.test(part))
    return 'has a part that begins or ends with a blank or ends with a dot';
  if (/^\.git(\s|\.|:|~|$)|^git~\d/i.test(part.normalize('NFKC').replace(/\p{Cf}/gu, '')))
    return 'looks like the folder of git';
  if (devices.test(part)) return 'is the name of a device on some systems';
  if (/[:*?<>|]/.test(part)) return 'holds a character that some systems refuse';
  if (/~\d(\.|$)/.test(part)) return 'looks like a short name of another path';
  return null;
}

function collisions(judged: Judged): Draft[] {
  const changed = new Set(judged.change.changes.filter(({ head }) => head !== null).map(({ path }) => path));
  const folded = new Map<string, string[]>();
  const folders = new Map<string, Set<string>>();
  for (const path of judged.change.head.entries.keys()) {
    add(folded, fold(path), path);
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      const folder = path.slice(0, at);
      const key = fold(folder);
      const known = folders.get(key) ?? new Set();
      folders.set(key, known.add(folder));
    }
  }
  return [...changed].flatMap((path) => {
    const twin =
      (folded.get(fold(path)) ?? []).find((other) => other !== path) ?? folderTwin(path, folders, folded);
    if (twin === null) return [];
    return [
      refuse(
        'path-collision',
        path,
        `${escapeText(path)} and ${escapeText(twin)} fall together on some systems.`,
      ),
    ];
  });
}

/** A folder of the path that exists in another spelling, or under the name of a file. */
function folderTwin(
  path: string,
  folders: Map<string, Set<string>>,
  files: Map<string, string[]>,
): string | null {
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    const folder = path.slice(0, at);
    const other = [...(folders.get(fold(folder)) ?? []), ...(files.get(fold(folder)) ?? [])];
    const twin = other.find((each) => each !== folder);
    if (twin !== undefined) return twin;
  }
  return [...(folders.get(fold(path)) ?? [])][0] ?? null;
}

function fold(path: string): string {
  return path.normalize('NFKC').toLowerCase().normalize('NFC').toUpperCase();
}

function add(map: Map<string, string[]>, key: string, value: string): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

function refuse(word: string, file: string, reason: string): Draft {
  return {
    rule: 'R0',
    class: word,
    file,
    line: null,
    reason,
    remedy: 'Give the file a plain name of its own.',
  };
}
