import { shellQuote } from '../shell-words.ts';
import type { ReportAdapter } from './adapter.ts';
import { appendOptions } from './append-options.ts';
import { parseJestJson } from './jest-json.ts';
import { jestReporter } from './jest-reporter.ts';
import { sealFiles } from './seal.ts';
import { withoutOptions } from './without-options.ts';

export const jestAdapter: ReportAdapter = {
  name: 'jest',
  matches: (words) => /^(?:.*\/)?(?:jest|jest\.js)$/.test(words[0] ?? '') || isNodeWithJest(words),
  instrument: (segment, _at, { supportDir }) => {
    const plain = withoutOptions(segment, ['--reporters', '--outputFile']);
    const reporter = shellQuote(`${supportDir}/jest-reporter.cjs`);
    return { source: appendOptions(plain.source, `--reporters=${reporter}`), env: {} };
  },
  supportFiles: ({ reportFile }, key) => ({
    'jest-reporter.cjs': jestReporter,
    ...sealFiles(reportFile, key),
  }),
  parse: parseJestJson,
};

/** `node --experimental-vm-modules node_modules/jest/bin/jest.js`, as jest's own manual says for ES modules. */
function isNodeWithJest(words: readonly string[]): boolean {
  return /^(?:.*\/)?node$/.test(words[0] ?? '') && words.some((word) => /(?:^|\/)jest(?:\.js)?$/.test(word));
}
