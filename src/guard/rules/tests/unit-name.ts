/** Letters and digits of a name in lower case: runners join the names of one unit in different ways. */
function fold(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

/**
 * Whether a unit is the one that a task names as `path::name`. Names of rows (`name[row]`, `Name/row`) mean their unit, and
 * containers may be joined by any sign.
 */
export function isNamedUnit(
  names: readonly string[],
  path: string,
  containers: readonly string[],
  title: string,
): boolean {
  const own = fold(title);
  const full = fold([...containers, title].join(' '));
  return names.some((name) => {
    if (!name.startsWith(`${path}::`)) return false;
    const rest = name.slice(path.length + 2);
    return [rest, rest.replace(/\[[\s\S]*\]$/, ''), rest.replace(/\/[\s\S]*$/, '')].some((each) => {
      const wanted = fold(each);
      return wanted !== '' && (wanted === own || wanted === full || (own !== '' && full.endsWith(wanted)));
    });
  });
}
