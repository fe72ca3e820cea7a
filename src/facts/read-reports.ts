import type { ExecutedTest } from '../domain/facts.ts';
import { numberTwins } from '../guard/facts/number-twins.ts';
import type { ReportInput } from '../guard/facts/reports/adapter.ts';
import type { PreparedRunner } from './prepare-command.ts';
import { readRegularFile } from './read-regular-file.ts';

const maxReportBytes = 64 * 1024 * 1024;
const maxTests = 100_000;

/** What the tree looked like that a run tested. */
export type TestedTree = Pick<ReportInput, 'root' | 'paths' | 'readText'>;

export type ReadReports =
  | { readonly kind: 'tests'; readonly tests: ExecutedTest[] }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Reads the reports of all runners of a command; one that cannot be read makes the whole run unreadable. */
export async function readReports(
  runners: readonly PreparedRunner[],
  stdoutFile: string,
  tree: TestedTree,
): Promise<ReadReports> {
  const stdout = (await readRegularFile(stdoutFile, maxReportBytes)) ?? '';
  const tests: ExecutedTest[] = [];
  for (const { found, folder, places, key } of runners) {
    const report = await readRegularFile(places.reportFile, maxReportBytes);
    const result = found.adapter.parse({ ...tree, report, stdout, key, folder });
    if (result.kind === 'unreadable') return result;
    tests.push(...result.tests);
  }
  if (tests.length > maxTests)
    return { kind: 'unreadable', reason: `The report names more than ${maxTests} tests.` };
  return { kind: 'tests', tests: numberTwins(tests) };
}
