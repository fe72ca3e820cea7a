import { charSet, type GlobPiece, many, matchesGlob, namedFolders, once } from '../glob.ts';

const TOKEN = /(?<=^|\/)\*\*\/|\*+|\?|\[!?[^\]]*\]|\\.|[\s\S]/gu;

/**
 * Ruby's `File.fnmatch` with FNM_PATHNAME, which GitHub's rulesets use: `*` and `?` stop at `/`, a double star followed by
 * a slash crosses any number of folders (none included), `[…]` is a class.
 */
export function fnmatch(pattern: string, text: string): boolean {
  return matchesGlob((pattern.match(TOKEN) ?? []).map(pieceOf), text);
}

const inName = (char: string): boolean => char !== '/';

function pieceOf(token: string): GlobPiece {
  if (token === '**/') return namedFolders;
  if (token.startsWith('*')) return many(inName);
  if (token === '?') return once(inName);
  if (token.length > 2 && token.startsWith('['))
    return once(charSet(token.replace(/^\[!/, '[^').replaceAll('\\', '\\\\')));
  const literal = token.startsWith('\\') ? token.slice(1) || token : token;
  return once((char) => char === literal);
}
