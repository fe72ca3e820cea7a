import { isRecord } from './item.ts';

/** What a run of the agent left that may hold results. */
export interface AnswerSources {
  /** The answer that the agent gave to the schema; undefined when there is none. */
  readonly structured: unknown;
  /** The agent's last text. */
  readonly text: string | null;
  /** Content of the results file in its work folder. */
  readonly file: string | null;
}

export interface Answer {
  readonly results: readonly unknown[];
  readonly from: 'structured' | 'text' | 'file';
}

/**
 * The list of results, from the first place that holds one: the structured answer, the text as a whole, the last fenced JSON block
 * in it, the results file. Null when none does.
 */
export function answerIn(sources: AnswerSources, resultKey: string): Answer | null {
  const { structured, text, file } = sources;
  const places: [Answer['from'], () => unknown][] = [
    ['structured', () => structured],
    ['text', () => parsed(text)],
    ...fencedBlocks(text ?? '')
      .reverse()
      .map((block): [Answer['from'], () => unknown] => ['text', () => parsed(block)]),
    ['file', () => parsed(file)],
  ];
  for (const [from, read] of places) {
    const results = listIn(read(), resultKey);
    if (results !== null) return { results, from };
  }
  return null;
}

/** Recovery of a run that broke off: what it wrote down as it went says more than its last words. */
export function recoveredIn({ text, file }: AnswerSources, resultKey: string): Answer | null {
  const written = listIn(parsed(file), resultKey);
  if (written !== null && written.length > 0) return { results: written, from: 'file' };
  const said = answerIn({ structured: undefined, text, file: null }, resultKey);
  return said === null || said.results.length === 0 ? null : said;
}

function listIn(value: unknown, resultKey: string): readonly unknown[] | null {
  if (Array.isArray(value)) return value;
  const list = isRecord(value) ? value[resultKey] : null;
  return Array.isArray(list) ? list : null;
}

function parsed(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Contents of Markdown's fenced blocks that say to be JSON, or say nothing. */
function fencedBlocks(text: string): string[] {
  const blocks: string[] = [];
  let open: { readonly fence: string; readonly lines: string[] } | null = null;
  for (const line of text.split('\n')) {
    const fence = /^ {0,3}(`{3,}|~{3,})[ \t]*(\S*)/.exec(line);
    if (open !== null) {
      if (fence !== null && fence[2] === '' && fence[1]!.startsWith(open.fence)) {
        blocks.push(open.lines.join('\n'));
        open = null;
      } else open.lines.push(line);
    } else if (fence !== null) open = { fence: fence[1]!, lines: [] };
  }
  return blocks;
}
