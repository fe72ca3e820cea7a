/** The special characters of GitHub's filter patterns, as regular expressions. `?` and `+` bind to what precedes them. */
const PIECES: readonly (readonly [RegExp, (match: string) => string])[] = [
  [/^\*\*\//, () => '(?:.*/)?'],
  [/^\*\*/, () => '.*'],
  [/^\*/, () => '[^/]*'],
  [/^[?+]/, (match) => match],
  [/^\[[^\]]+\]/, (match) => match],
  [/^\\./s, (match) => match],
  [/^[\s\S]/, (match) => match.replace(/[.^$|(){}\]\\/[]/, '\\$&')],
];

/**
 * Compiles one pattern of `branches`, `tags` or `paths`: `*` stays inside a segment, `**` crosses segments,
 * `?` and `+` repeat the preceding character, `[]` is a set (GitHub's "filter pattern cheat sheet").
 */
function compileFilterPattern(pattern: string): RegExp {
  let rest = pattern;
  let source = '';
  while (rest !== '') {
    for (const [form, write] of PIECES) {
      const match = form.exec(rest)?.[0];
      if (match === undefined) continue;
      source += write(match);
      rest = rest.slice(match.length);
      break;
    }
  }
  return new RegExp(`^${source}$`, 's');
}

/** Whether a name passes an ordered list of patterns: the last pattern that matches decides, `!` excludes. */
export function matchesFilters(name: string, patterns: readonly string[]): boolean {
  return patterns.reduce((included, pattern) => {
    const negated = pattern.startsWith('!');
    const matches = compileFilterPattern(negated ? pattern.slice(1) : pattern).test(name);
    return matches ? !negated : included;
  }, false);
}
