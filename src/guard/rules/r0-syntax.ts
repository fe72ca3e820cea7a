import { escapeText } from '../model/escape-text.ts';
import { languageOf } from '../parse/languages.ts';
import type { Draft, Judged } from './judged.ts';

/** R0: code that the guard has a grammar for must be readable by it; errors that were there before are no news. */
export function syntaxRule(judged: Judged): Draft[] {
  return judged.change.changes.flatMap(({ path, base, head }) => {
    if (languageOf(path) === null || head?.text == null || head.mode === '120000') return [];
    const tree = judged.parse(path, head);
    if (tree === null) return [refuse(path, null, 'is too large or too deep to be read')];
    const known = judged.parse(path, base)?.errorLines.length ?? 0;
    const line = tree.errorLines[0];
    return line === undefined || tree.errorLines.length <= known
      ? []
      : [refuse(path, line, 'cannot be parsed with certainty')];
  });
}

function refuse(file: string, line: number | null, what: string): Draft {
  return {
    rule: 'R0',
    class: 'unreadable',
    file,
    line,
    reason: `${escapeText(file)} ${what}.`,
    remedy:
      'Write it in syntax that every parser of the language reads alike; split files that are too large.',
  };
}
