import { z } from 'zod';
import type { ExecutedTest } from '../../../domain/facts.ts';
import type { ReportInput, ReportResult } from './adapter.ts';
import { executedTest, failureOf, pathInTree } from './executed-test.ts';
import { unseal } from './seal.ts';

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string().optional(),
      message: z.string().nullish(),
      assertionResults: z.array(
        z.object({
          ancestorTitles: z.array(z.string()),
          title: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});
type FileResult = z.infer<typeof reportSchema>['testResults'][number];

const statuses: Readonly<Record<string, ExecutedTest['status']>> = {
  passed: 'passed',
  failed: 'failed',
  pending: 'skipped',
  skipped: 'skipped',
  disabled: 'skipped',
  todo: 'todo',
};

/** Reads the sealed JSON report that jest defined and vitest writes too. */
export function parseJestJson(input: ReportInput): ReportResult {
  const unsealed = unseal(input.report, input.key);
  if (unsealed.kind === 'unreadable') return unsealed;
  const parsed = parseReport(unsealed.text);
  if (parsed === null)
    return { kind: 'unreadable', reason: 'The report is not the JSON that the runner writes.' };
  return { kind: 'tests', tests: parsed.testResults.flatMap((file) => testsOf(file, input)) };
}

function parseReport(text: string): z.infer<typeof reportSchema> | null {
  try {
    return reportSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function testsOf(file: FileResult, { root, folder }: ReportInput): ExecutedTest[] {
  const path = pathInTree(file.name, root, folder) ?? '(outside)';
  const tests = file.assertionResults.map((test) => {
    const message = test.failureMessages?.[0] ?? '';
    return executedTest({
      path,
      names: [...test.ancestorTitles.filter((title) => title !== ''), test.title],
      status: statuses[test.status] ?? 'aborted',
      failure: failureOf(message),
      message,
    });
  });
  // A file that could not be loaded has no tests of its own, only a message.
  const brokeDown = file.status === 'failed' && !tests.some(({ status }) => status === 'failed');
  if (!brokeDown) return tests;
  return [
    ...tests,
    executedTest({ path, names: [], status: 'failed', failure: 'error', message: file.message ?? null }),
  ];
}
