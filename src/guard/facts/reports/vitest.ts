import { shellQuote } from '../shell-words.ts';
import type { ReportAdapter } from './adapter.ts';
import { appendOptions } from './append-options.ts';
import { parseJestJson } from './jest-json.ts';
import { sealFiles } from './seal.ts';
import { vitestReporter } from './vitest-reporter.ts';
import { withoutOptions } from './without-options.ts';

export const vitestAdapter: ReportAdapter = {
  name: 'vitest',
  matches: (words) => /^(?:.*\/)?(?:vitest|vitest\.mjs)$/.test(words[0] ?? '') && words[1] !== 'bench',
  instrument: (segment, _at, { supportDir }) => {
    const plain = withoutOptions(segment, ['--reporter', '--outputFile']);
    const reporter = shellQuote(`${supportDir}/vitest-reporter.mjs`);
    return { source: appendOptions(plain.source, `--reporter=${reporter}`), env: {} };
  },
  supportFiles: ({ supportDir, reportFile }, key) => ({
    'vitest-reporter.mjs': vitestReporter(supportDir),
    ...sealFiles(reportFile, key),
  }),
  parse: parseJestJson,
};
