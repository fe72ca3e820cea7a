import type { FileChange } from '../model/change.ts';
import { escapeText } from '../model/escape-text.ts';
import { languageOf } from '../parse/languages.ts';
import { isComment, walk } from '../parse/syntax.ts';
import { deceptiveIdentifier, invisibleCharacter } from './hidden-characters.ts';
import type { Draft, Judged } from './judged.ts';

/** R0: text whose look and meaning differ: invisible characters, look-alike names, encodings, line ends. */
export function hiddenTextRule(judged: Judged): Draft[] {
  return judged.change.changes.flatMap((each) => {
    if (each.head?.text == null || each.head.mode === '120000') return [];
    return [
      ...hiddenLines(each),
      ...deceptiveNames(judged, each),
      ...encodings(each),
      ...lineEnds(judged, each),
    ];
  });
}

function newLines({ base, head }: FileChange): { readonly text: string; readonly line: number }[] {
  const old = new Set(base?.text?.split('\n') ?? []);
  return (head?.text?.split('\n') ?? [])
    .map((text, index) => ({ text: text.replace(/\r$/, ''), raw: text, line: index + 1 }))
    .filter(({ raw }) => !old.has(raw));
}

function hiddenLines(each: FileChange): Draft[] {
  const found: Draft[] = [];
  for (const { text, line } of newLines(each)) {
    const char = invisibleCharacter(line === 1 ? text : text.replace(/^\ufeff/, '\u200b'));
    if (char !== null)
      found.push(refuse(each, line, `Line ${line} holds ${char}, which cannot be seen.`, 'hidden-unicode'));
    else if (/\S[ \t]{150,}\S/.test(text))
      found.push(refuse(each, line, `Line ${line} goes on far out of sight.`, 'hidden-unicode'));
    if (found.length >= 20) break;
  }
  return found;
}

function deceptiveNames(judged: Judged, each: FileChange): Draft[] {
  const tree = judged.parse(each.path, each.head);
  if (tree === null || /^[\x00-\x7f]*$/.test(tree.text)) return [];
  const known = new Set((each.base?.text ?? '').match(/[\p{L}\p{N}_]+/gu) ?? []);
  const found = new Map<string, Draft>();
  for (const node of walk(tree.root)) {
    if (node.children.length > 0 || !/identifier|name|constant|^variable/.test(node.type) || isComment(node))
      continue;
    const name = tree.text.slice(node.start, node.end);
    const why = known.has(name) ? null : deceptiveIdentifier(name);
    if (why !== null)
      found.set(name, refuse(each, node.line, `The name ${escapeText(name)} ${why}.`, 'hidden-unicode'));
  }
  return [...found.values()];
}

function encodings(each: FileChange): Draft[] {
  const found: Draft[] = [];
  const head = each.head?.text ?? '';
  const base = each.base?.text ?? '';
  const cookie = codingCookie(head);
  if (cookie !== null && cookie !== codingCookie(base) && !/^utf-?8$/i.test(cookie)) {
    found.push(
      refuse(each, 1, `The file declares the encoding ${escapeText(cookie)}.`, 'encoding-or-binary-flip'),
    );
  }
  if (each.base !== null && head.startsWith('\ufeff') !== base.startsWith('\ufeff')) {
    found.push(refuse(each, 1, 'The byte order mark comes or goes.', 'encoding-or-binary-flip'));
  }
  for (const { text, line } of newLines(each)) {
    if (escapesCode(each.path, text)) {
      found.push(refuse(each, line, `Line ${line} writes code as character escapes.`, 'hidden-unicode'));
    }
  }
  return found;
}

function codingCookie(text: string): string | null {
  const top = text.split('\n', 2).join('\n');
  const match =
    /^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)/m.exec(top) ??
    /declare\s*\(\s*encoding\s*=\s*['"]([^'"]+)/.exec(text);
  return match?.[1] ?? /@charset\s+"([^"]+)"/.exec(top)?.[1] ?? null;
}

/** Java obeys escapes before it reads a line; C# allows them in names; JavaScript reads HTML comment marks. */
function escapesCode(path: string, line: string): boolean {
  const language = languageOf(path);
  if (language === 'java')
    return /\\u+00(0[ad]|2[27af]|5c|7[bd]|3b)/i.test(line) || /\\u+00[2-7][0-9a-f]/i.test(bare(line));
  if (language === 'c-sharp') return /\\[uU][0-9a-fA-F]{4}/.test(bare(line));
  if (language === 'javascript')
    return /^\s*(<!--|-->)/.test(line) || /\\u(\{|[0-9a-fA-F])/.test(bare(line).replace(/\/.*\//, ''));
  return false;
}

/** A line without what stands in quotes. */
function bare(line: string): string {
  return line.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g, '').replace(/\/\/.*$/, '');
}

function lineEnds(judged: Judged, each: FileChange): Draft[] {
  const head = lineEndKinds(each.head?.text ?? '');
  const base = lineEndKinds(each.base?.text ?? '');
  const found: Draft[] = [];
  if (head.has('cr') && !base.has('cr')) {
    found.push(refuse(each, null, 'Lines end with a bare carriage return.', 'encoding-or-binary-flip'));
  }
  const mixes = head.has('lf') && head.has('crlf') && !(base.has('lf') && base.has('crlf'));
  if (mixes && judged.roleOf(each.path) !== 'docs') {
    found.push(refuse(each, null, 'The file begins to mix line ends.', 'encoding-or-binary-flip'));
  }
  return found;
}

function lineEndKinds(text: string): Set<'lf' | 'crlf' | 'cr'> {
  const kinds = new Set<'lf' | 'crlf' | 'cr'>();
  if (/\r\n/.test(text)) kinds.add('crlf');
  if (/(^|[^\r])\n/.test(text)) kinds.add('lf');
  if (/\r(?!\n)/.test(text)) kinds.add('cr');
  return kinds;
}

function refuse(each: FileChange, line: number | null, reason: string, word: string): Draft {
  const remedy = 'Write this in plain UTF-8 that reads the way it runs.';
  return { rule: 'R0', class: word, file: each.path, line, reason, remedy, subject: reason };
}
