/**
 * Ruby's `File.fnmatch` with FNM_PATHNAME, which GitHub's rulesets use: `*` and `?` stop at `/`, a double star followed by
 * a slash crosses any number of folders (none included), `[…]` is a class.
 */
export function fnmatch(pattern: string, text: string): boolean {
  return new RegExp(`^${toRegExp(pattern)}$`, 'u').test(text);
}

function toRegExp(pattern: string): string {
  const token = /(?<=^|\/)\*\*\/|\*+|\?|\[!?[^\]]*\]|\\.|[\s\S]/gu;
  return pattern.replace(token, (part) => {
    if (part === '**/') return '(?:[^/]+/)*';
    if (part.startsWith('*')) return '[^/]*';
    if (part === '?') return '[^/]';
    if (part.length > 2 && part.startsWith('[')) return part.replace(/^\[!/, '[^').replaceAll('\\', '\\\\');
    return literal(part.length === 2 && part.startsWith('\\') ? part.slice(1) : part);
  });
}

const literal = (text: string): string =>
  text.replace(/[\\^$.*+?()[\]{}|/-]/g, (char) => (char === '-' ? '-' : `\\${char}`));
