import { CcdError } from '../../../domain/errors.ts';

const bad = (message: string): CcdError =>
  new CcdError({
    code: 'local.command-file',
    message,
    remedy: 'Write NAME=value, or NAME<<DELIMITER, the value, and the delimiter on a line of its own.',
    audience: 'author',
  });

/**
 * Reads the format of `GITHUB_ENV`, `GITHUB_OUTPUT` and `GITHUB_STATE`: `NAME=value` lines and
 * `NAME<<DELIMITER` blocks, in order. Throws `local.command-file` on anything else.
 */
export function parseKeyValueFile(text: string): [string, string][] {
  const lines = text.split(/\r?\n/);
  const pairs: [string, string][] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index]!;
    if (line === '') continue;
    const equals = line.indexOf('=');
    const heredoc = line.indexOf('<<');
    if (equals > 0 && (heredoc < 0 || equals < heredoc)) {
      pairs.push([line.slice(0, equals), line.slice(equals + 1)]);
      continue;
    }
    if (heredoc <= 0) throw bad(`Invalid format '${line}'`);
    const delimiter = line.slice(heredoc + 2);
    const end = lines.indexOf(delimiter, index + 1);
    if (delimiter === '' || end < 0) throw bad(`Invalid value. Matching delimiter not found '${delimiter}'`);
    pairs.push([line.slice(0, heredoc), lines.slice(index + 1, end).join('\n')]);
    index = end;
  }
  return pairs;
}
