/**
 * Whether a path is named by a pattern: an exact path, a folder that ends in `/` (everything below it), or a glob in which
 * `*` and `?` stop at `/` and `**` does not. Comparison is exact in letter case and form.
 */
export function matchesPattern(path: string, pattern: string): boolean {
  if (path === pattern) return true;
  if (!/[*?]/.test(pattern)) return pattern.endsWith('/') && path.startsWith(pattern);
  return patternExpression(pattern).test(path);
}

export function matchesAny(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesPattern(path, pattern));
}

/** Whether one of the policy's patterns guards a path. These name a folder without its `/`, too: more is guarded, never less. */
export function isGuarded(path: string, patterns: readonly string[]): boolean {
  return patterns.some(
    (pattern) =>
      matchesPattern(path, pattern) || (!pattern.endsWith('/') && matchesPattern(path, `${pattern}/`)),
  );
}

const expressions = new Map<string, RegExp>();

function patternExpression(pattern: string): RegExp {
  const known = expressions.get(pattern);
  if (known !== undefined) return known;
  const source = pattern.replace(/\*\*\/|\*+|\?|[^*?]/gs, (piece) => {
    if (piece === '**/') return '(?:[^/]+/)*';
    if (piece === '*') return '[^/]*';
    if (piece === '?') return '[^/]';
    if (piece.startsWith('**')) return '.*';
    return piece.replace(/[\\^$.|+()[\]{}]/, '\\$&');
  });
  const made = new RegExp(`^${source}${pattern.endsWith('/') ? '.*' : ''}$`, 'su');
  if (expressions.size < 5000) expressions.set(pattern, made);
  return made;
}
