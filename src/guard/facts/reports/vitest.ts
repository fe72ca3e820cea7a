import { shellQuote } from '../shell-words.ts';
import type { ReportAdapter } from './adapter.ts';
import { appendOptions } from './append-options.ts';
import { parseJestJson } from './jest-json.ts';
import { withoutOptions } from './without-options.ts';

export const vitestAdapter: ReportAdapter = {
  name: 'vitest',
  matches: (words) => /^(?:.*\/)?(?:vitest|vitest\.mjs)$/.test(words[0] ?? '') && words[1] !== 'bench',
  instrument: (segment, _at, { reportFile }) => {
    const plain = withoutOptions(segment, ['--reporter', '--outputFile']);
    return {
      source: appendOptions(plain.source, `--reporter=json --outputFile=${shellQuote(reportFile)}`),
      env: {},
    };
  },
  supportFiles: () => ({}),
  parse: parseJestJson,
};
