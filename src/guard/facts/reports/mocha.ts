import { z } from 'zod';
import type { ExecutedTest } from '../../../domain/facts.ts';
import { shellQuote } from '../shell-words.ts';
import type { ReportAdapter, ReportInput, ReportResult } from './adapter.ts';
import { appendOptions } from './append-options.ts';
import { executedTest, failureOf, pathInTree } from './executed-test.ts';
import { sealFiles, sealSource, unseal } from './seal.ts';
import { withoutOptions } from './without-options.ts';

/** Loaded by mocha itself, so it stays with what every mocha since 2 has. */
const reporter = `'use strict';
${sealSource}module.exports = function (runner) {
  const tests = [];
  const titles = (test) => (test.parent ? titles(test.parent) : []).concat(test.title ? [test.title] : []);
  const fileOf = (test) => test.file || (test.parent ? fileOf(test.parent) : '');
  const add = (status) => (test, error) => tests.push({
    file: fileOf(test), titles: titles(test), status,
    message: error ? String(error.name || 'Error') + ': ' + String(error.message) : null,
  });
  runner.on('pass', add('passed'));
  runner.on('fail', add('failed'));
  runner.on('pending', add('skipped'));
  runner.on('end', () => seal(JSON.stringify({ tests })));
};
`;

const reportSchema = z.object({
  tests: z.array(
    z.object({
      file: z.string(),
      titles: z.array(z.string()),
      status: z.enum(['passed', 'failed', 'skipped']),
      message: z.string().nullable(),
    }),
  ),
});

export const mochaAdapter: ReportAdapter = {
  name: 'mocha',
  matches: (words) => /^(?:.*\/)?_?mocha(?:\.js)?$/.test(words[0] ?? ''),
  instrument: (segment, _at, places) => {
    const plain = withoutOptions(segment, [
      '--reporter',
      '-R',
      '--reporter-options',
      '--reporter-option',
      '-O',
    ]);
    const reporterFile = shellQuote(`${places.supportDir}/mocha-reporter.cjs`);
    return {
      source: appendOptions(plain.source, `--reporter ${reporterFile}`),
      env: {},
    };
  },
  supportFiles: ({ reportFile }, key) => ({ 'mocha-reporter.cjs': reporter, ...sealFiles(reportFile, key) }),
  parse: parseMocha,
};

function parseMocha({ report, key, root, folder }: ReportInput): ReportResult {
  const unsealed = unseal(report, key);
  if (unsealed.kind === 'unreadable') return unsealed;
  const parsed = readReport(unsealed.text);
  if (parsed === null)
    return { kind: 'unreadable', reason: 'The report is not the JSON that our reporter writes.' };
  const tests = parsed.tests.map((test): ExecutedTest => {
    const path = pathInTree(test.file, root, folder) ?? '(outside)';
    const message = test.message ?? '';
    return executedTest({
      path,
      names: test.titles,
      status: test.status,
      failure: failureOf(message),
      message,
    });
  });
  return { kind: 'tests', tests };
}

function readReport(text: string): z.infer<typeof reportSchema> | null {
  try {
    return reportSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
