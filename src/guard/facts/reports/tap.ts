import type { ExecutedTest, TestStatus } from '../../../domain/facts.ts';
import type { ReportAdapter, ReportResult } from './adapter.ts';
import { executedTest, failureOf } from './executed-test.ts';

/** TAP names no files: all tests of a run share this path. */
export const tapPath = '(tap)';

/** Runners that write TAP to standard output: tape by itself, ava and tap when they are told to. */
export const tapAdapter: ReportAdapter = {
  name: 'tap',
  matches: (words) => /^(?:.*\/)?(?:tape|ava)$/.test(words[0] ?? ''),
  instrument: (segment, at) => {
    const isAva = /(?:^|\/)ava$/.test(segment.words[at]?.text ?? '');
    const tells = segment.words.some(({ text }) => text === '--tap' || text === '-t');
    return { source: isAva && !tells ? `${segment.source} --tap` : segment.source, env: {} };
  },
  supportFiles: () => ({}),
  parse: ({ stdout }) => parseTap(stdout),
};

interface Point {
  /** Comment that the point stands under: the name of its test, for runners whose points are single assertions. */
  readonly group: number | null;
  readonly name: string;
  readonly status: TestStatus;
  readonly diagnostic: string;
}

/**
 * Reads top-level TAP. Points under one comment are the assertions of one test: their texts may hold values that the code
 * under test computed, so the test is known by the comment. A plan that does not match the number of points, or none, makes
 * it unreadable.
 */
export function parseTap(text: string): ReportResult {
  const lines = text.split(/\r?\n/);
  const plan = lines.map((line) => /^1\.\.(\d{1,7})\b/.exec(line)).find((match) => match !== null);
  if (plan === undefined) return { kind: 'unreadable', reason: 'The output holds no TAP plan.' };
  if (lines.some((line) => line.startsWith('Bail out!'))) {
    return { kind: 'unreadable', reason: 'The test runner bailed out.' };
  }
  const points = pointsOf(lines);
  if (points.length !== Number(plan[1])) {
    const reason = `The TAP plan tells of ${plan[1]} tests, ${points.length} were reported.`;
    return { kind: 'unreadable', reason };
  }
  return { kind: 'tests', tests: byTest(points).map(testOf) };
}

function pointsOf(lines: readonly string[]): Point[] {
  const points: Point[] = [];
  let group: number | null = null;
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('# ')) group = index;
    const point = /^(not )?ok\b(?: \d+)?(?: -)?(.*)$/.exec(line);
    if (point === null) continue;
    const [description = '', directive = ''] = (point[2] ?? '').split(/\s#\s?(?=skip|todo)/i);
    points.push({
      group,
      name: group === null ? description.trim() : (lines[group] ?? '').slice(2).trim(),
      status: statusOf(point[1] !== undefined, directive),
      diagnostic: point[1] === undefined ? '' : diagnosticAfter(lines, index),
    });
  }
  return points;
}

function statusOf(failed: boolean, directive: string): TestStatus {
  if (/^skip/i.test(directive)) return 'skipped';
  if (/^todo/i.test(directive)) return 'todo';
  return failed ? 'failed' : 'passed';
}

function diagnosticAfter(lines: readonly string[], index: number): string {
  if (!/^\s+---/.test(lines[index + 1] ?? '')) return '';
  const end = lines.findIndex((line, at) => at > index + 1 && /^\s+\.\.\./.test(line));
  return lines.slice(index + 2, end === -1 ? index + 2 : Math.min(end, index + 60)).join('\n');
}

function byTest(points: readonly Point[]): Point[][] {
  const tests = new Map<number | string, Point[]>();
  for (const [index, point] of points.entries()) {
    const key = point.group ?? `point ${index}`;
    const known = tests.get(key);
    if (known === undefined) tests.set(key, [point]);
    else known.push(point);
  }
  return [...tests.values()];
}

/** A test is as bad as its worst assertion; one whose assertions were all left out did not run. */
function testOf(points: readonly Point[]): ExecutedTest {
  const worst =
    points.find(({ status }) => status === 'failed') ??
    points.find(({ status }) => status === 'passed') ??
    points[0];
  const diagnostic = worst?.diagnostic ?? '';
  const isAssertion = /^\s+(?:operator|name): .*(?:[Aa]ssert|[Ee]qual|ok)/m.test(diagnostic);
  return executedTest({
    path: tapPath,
    names: [worst?.name ?? ''],
    status: worst?.status ?? 'aborted',
    failure: isAssertion ? 'assertion' : failureOf(diagnostic),
    message: diagnostic === '' ? null : diagnostic,
  });
}
