import type { ExecutedTest } from '../../../domain/facts.ts';
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

/** Reads top-level TAP. A plan that does not match the number of points, or none, makes it unreadable. */
export function parseTap(text: string): ReportResult {
  const lines = text.split(/\r?\n/);
  const plan = lines.map((line) => /^1\.\.(\d{1,7})\b/.exec(line)).find((match) => match !== null);
  if (plan === undefined) return { kind: 'unreadable', reason: 'The output holds no TAP plan.' };
  if (lines.some((line) => line.startsWith('Bail out!'))) {
    return { kind: 'unreadable', reason: 'The test runner bailed out.' };
  }
  const tests = pointsOf(lines);
  if (tests.length !== Number(plan[1])) {
    return {
      kind: 'unreadable',
      reason: `The TAP plan tells of ${plan[1]} tests, ${tests.length} were reported.`,
    };
  }
  return { kind: 'tests', tests };
}

function pointsOf(lines: readonly string[]): ExecutedTest[] {
  const tests: ExecutedTest[] = [];
  let group = '';
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('# ')) group = line.slice(2).trim();
    const point = /^(not )?ok\b(?: \d+)?(?: -)?(.*)$/.exec(line);
    if (point === null) continue;
    const [description = '', directive = ''] = (point[2] ?? '').split(/\s#\s?(?=skip|todo)/i);
    tests.push(pointOf(point[1] !== undefined, group, description.trim(), directive, lines, index));
  }
  return tests;
}

function pointOf(
  failed: boolean,
  group: string,
  description: string,
  directive: string,
  lines: readonly string[],
  index: number,
): ExecutedTest {
  const status = /^skip/i.test(directive)
    ? 'skipped'
    : /^todo/i.test(directive)
      ? 'todo'
      : failed
        ? 'failed'
        : 'passed';
  const diagnostic = failed ? diagnosticAfter(lines, index) : '';
  const isAssertion = /^\s+(?:operator|name): .*(?:[Aa]ssert|[Ee]qual|ok)/m.test(diagnostic);
  return executedTest({
    path: tapPath,
    names: group === '' ? [description] : [group, description],
    status,
    failure: isAssertion ? 'assertion' : failureOf(diagnostic),
    message: diagnostic === '' ? null : diagnostic,
  });
}

function diagnosticAfter(lines: readonly string[], index: number): string {
  if (!/^\s+---/.test(lines[index + 1] ?? '')) return '';
  const end = lines.findIndex((line, at) => at > index + 1 && /^\s+\.\.\./.test(line));
  return lines.slice(index + 2, end === -1 ? index + 2 : Math.min(end, index + 60)).join('\n');
}
