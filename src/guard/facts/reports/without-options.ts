import type { ResolvedSegment } from '../resolve-command.ts';
import { shellWords } from '../shell-words.ts';

/**
 * The segment without the given long options and their values (`--name=value` and `--name value`): the runner's own
 * reporters would stand in the way of ours.
 */
export function withoutOptions(segment: ResolvedSegment, names: readonly string[]): ResolvedSegment {
  let source = '';
  let from = 0;
  for (let index = 0; index < segment.words.length; index += 1) {
    const word = segment.words[index];
    if (word === undefined || !names.some((name) => word.text === name || word.text.startsWith(`${name}=`)))
      continue;
    const value = names.includes(word.text) ? segment.words[index + 1] : undefined;
    source += segment.source.slice(from, word.start).trimEnd();
    from = value === undefined ? word.end : value.end;
    if (value !== undefined) index += 1;
  }
  source = (source + segment.source.slice(from)).trim();
  return { ...segment, source, words: shellWords(source) };
}
