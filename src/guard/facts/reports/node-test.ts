import { z } from 'zod';
import type { ExecutedTest } from '../../../domain/facts.ts';
import { shellQuote } from '../shell-words.ts';
import type { ReportAdapter, ReportInput, ReportResult } from './adapter.ts';
import { executedTest, pathInTree } from './executed-test.ts';
import { nodeTestReporter } from './node-test-reporter.ts';
import { isSealed, keyFileName } from './seal.ts';
import { withoutOptions } from './without-options.ts';

const eventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('start'),
    name: z.string(),
    nesting: z.number().int().min(0).max(1000),
    file: z.string(),
  }),
  z.object({
    type: z.enum(['pass', 'fail']),
    name: z.string(),
    nesting: z.number().int().min(0).max(1000),
    file: z.string(),
    suite: z.boolean(),
    skip: z.boolean(),
    todo: z.boolean(),
    failureType: z.string().nullable(),
    cause: z
      .object({ code: z.string().nullable(), name: z.string().nullable(), message: z.string() })
      .nullable(),
    stderr: z.string(),
  }),
  z.object({ type: z.literal('end') }),
]);
type TestEvent = z.infer<typeof eventSchema>;
type EndedTest = Extract<TestEvent, { type: 'pass' | 'fail' }>;

/** `node --test`, and `node <file>` where the file uses node:test. */
export const nodeTestAdapter: ReportAdapter = {
  name: 'node:test',
  matches: (words) => /^(?:.*\/)?node$/.test(words[0] ?? '') && runsTests(words.slice(1)),
  instrument: (segment, at, places) => {
    const plain = withoutOptions(segment, ['--test-reporter', '--test-reporter-destination']);
    const node = plain.words[at];
    const end = node?.end ?? 0;
    const options = `--test-reporter=${shellQuote(`${places.supportDir}/node-test-reporter.mjs`)} --test-reporter-destination=${shellQuote(places.reportFile)}`;
    return { source: `${plain.source.slice(0, end)} ${options}${plain.source.slice(end)}`, env: {} };
  },
  supportFiles: (_places, key) => ({ 'node-test-reporter.mjs': nodeTestReporter, [keyFileName]: key }),
  parse: parseNodeTest,
};

function runsTests(args: readonly string[]): boolean {
  return (
    args.includes('--test') ||
    args.some((word) => /(?:^|[/._-])(?:test|spec)s?[/._-]|[._-](?:test|spec)\.[cm]?[jt]s$/.test(word))
  );
}

function parseNodeTest({ report, key, root, folder }: ReportInput): ReportResult {
  if (report === null) return { kind: 'unreadable', reason: 'The test runner wrote no report.' };
  const events = readEvents(report, key);
  if (typeof events === 'string') return { kind: 'unreadable', reason: events };
  const tests: ExecutedTest[] = [];
  const open = new Map<string, string[]>();
  for (const event of events) {
    if (event.type === 'end') continue;
    const names = open.get(event.file) ?? [];
    open.set(event.file, names);
    names.length = Math.min(names.length, event.nesting);
    names.push(event.name);
    if (event.type !== 'start' && !isPlainSuite(event)) tests.push(ended(event, names, root, folder));
  }
  return { kind: 'tests', tests };
}

/** Reads authenticated lines up to the end mark; a sentence says what is wrong with the report. */
function readEvents(report: string, key: string): TestEvent[] | string {
  const events: TestEvent[] = [];
  for (const [index, line] of report.split('\n').entries()) {
    if (line === '' && events.at(-1)?.type === 'end') return events;
    const text = line.slice(65);
    if (!isSealed(line.slice(0, 64), `${index} ${text}`, key)) return cutOrForged(line, events);
    const event = parseEvent(text);
    if (event === null) return 'The report holds a line that its reporter cannot have written.';
    events.push(event);
  }
  return events.at(-1)?.type === 'end'
    ? events
    : 'The report breaks off: the test runner did not end by itself.';
}

function cutOrForged(line: string, events: readonly TestEvent[]): string {
  return line === '' && events.at(-1)?.type !== 'end'
    ? 'The report breaks off: the test runner did not end by itself.'
    : 'The report was tampered with: a line does not carry the mark of its reporter.';
}

function parseEvent(text: string): TestEvent | null {
  try {
    return eventSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** A suite has no assertions of its own: it counts only when one of its hooks failed. */
function isPlainSuite(event: EndedTest): boolean {
  return event.suite && (event.type === 'pass' || event.failureType === 'subtestsFailed');
}

function ended(event: EndedTest, names: readonly string[], root: string, folder: string): ExecutedTest {
  const path = pathInTree(event.file, root, folder) ?? '(outside)';
  // The runner reports a file under its own path, absolute in Node 20 and relative in Node 24.
  const isFile = event.nesting === 0 && pathInTree(event.name, root, folder) === path;
  return executedTest({
    path,
    names: isFile ? [] : names,
    status: statusOf(event),
    failure: failureKind(event, isFile),
    message: messageOf(event, isFile),
  });
}

function statusOf(event: EndedTest): ExecutedTest['status'] {
  if (event.skip) return 'skipped';
  if (event.todo) return 'todo';
  if (event.failureType === 'cancelledByParent' || event.failureType === 'testAborted') return 'aborted';
  return event.type === 'pass' ? 'passed' : 'failed';
}

function failureKind(event: EndedTest, isFile: boolean): NonNullable<ExecutedTest['failure']> {
  if (isFile || event.failureType !== 'testCodeFailure') return 'error';
  return event.cause?.code === 'ERR_ASSERTION' || event.cause?.name === 'AssertionError'
    ? 'assertion'
    : 'error';
}

function messageOf(event: EndedTest, isFile: boolean): string | null {
  if (isFile && event.stderr !== '') return event.stderr.slice(-2000);
  if (event.cause === null) return null;
  const { name, message } = event.cause;
  return name ? `${name}: ${message}` : message;
}
