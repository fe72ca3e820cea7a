/** Options go before a lone `--`, after which a runner takes everything for file names. */
export function appendOptions(source: string, options: string): string {
  const separator = / -- /.exec(source);
  if (separator === null) return `${source} ${options}`;
  return `${source.slice(0, separator.index)} ${options}${source.slice(separator.index)}`;
}
