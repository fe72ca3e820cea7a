/** Path classes that two tasks never change at the same time, whatever else they share: shared by their nature. */
const wildcard = /[*?[\]{}]/;

/**
 * Whether two lists of allowed paths may name one file. Decided conservatively: a folder contains its children, equal
 * literals meet, and a glob meets everything below the literal folder in front of its first wildcard.
 */
export function pathsOverlap(left: readonly string[], right: readonly string[]): boolean {
  return left.some((one) => right.some((other) => patternsMeet(one, other)));
}

function patternsMeet(left: string, right: string): boolean {
  const one = literalPrefix(left);
  const other = literalPrefix(right);
  if (one.exact && other.exact) return one.text === other.text;
  if (one.exact) return one.text.startsWith(other.text);
  if (other.exact) return other.text.startsWith(one.text);
  return one.text.startsWith(other.text) || other.text.startsWith(one.text);
}

interface Prefix {
  readonly text: string;
  readonly exact: boolean;
}

function literalPrefix(pattern: string): Prefix {
  const at = pattern.search(wildcard);
  if (at >= 0) return { text: pattern.slice(0, pattern.lastIndexOf('/', at) + 1), exact: false };
  return { text: pattern, exact: !pattern.endsWith('/') };
}
