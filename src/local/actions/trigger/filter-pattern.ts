import { anyFolders, charSet, type GlobPiece, many, matchesGlob, once, optional, some } from '../../glob.ts';

/** A piece of GitHub's filter patterns, with the `?` or `+` that binds to it. */
const PIECE = /\*\*\/|\*\*|(?:\*|\[[^\]]+\]|\\[\s\S]|[\s\S])[?+]?/gu;

const any = (): boolean => true;
const inName = (char: string): boolean => char !== '/';

function pieceOf(text: string): GlobPiece {
  if (text === '**/') return anyFolders;
  if (text === '**') return many(any);
  if (text.startsWith('*')) return many(inName);
  const sign = text.length > 1 && text !== '\\?' && text !== '\\+' ? /[?+]$/.exec(text)?.[0] : undefined;
  const test = testOf(sign === undefined ? text : text.slice(0, -1));
  if (sign === undefined) return once(test);
  return sign === '?' ? optional(test) : some(test);
}

function testOf(text: string): (char: string) => boolean {
  if (text.length > 2 && text.startsWith('[')) return charSet(text);
  const literal = text.startsWith('\\') ? text.slice(1) || text : text;
  return (char) => char === literal;
}

/**
 * Whether a name fits one pattern of `branches`, `tags` or `paths`: `*` stays inside a segment, `**` crosses segments,
 * `?` and `+` repeat the preceding character, `[]` is a set (GitHub's "filter pattern cheat sheet").
 */
const matchesFilter = (name: string, pattern: string): boolean =>
  matchesGlob((pattern.match(PIECE) ?? []).map(pieceOf), name);

/** Whether a name passes an ordered list of patterns: the last pattern that matches decides, `!` excludes. */
export function matchesFilters(name: string, patterns: readonly string[]): boolean {
  return patterns.reduce((included, pattern) => {
    const negated = pattern.startsWith('!');
    return matchesFilter(name, negated ? pattern.slice(1) : pattern) ? !negated : included;
  }, false);
}
