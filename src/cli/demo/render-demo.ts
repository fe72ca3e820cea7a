import type { DemoResult } from './run-demo.ts';

/** The result as a table of plain text. */
export function renderDemo(result: DemoResult, scripted: boolean): string {
  const head = ['issue', 'story', 'state', 'gen', 'attempts', 'guard', 'landed', 'seconds'];
  const rows = result.tasks.map((task) => [
    `#${task.issue}`,
    task.story,
    task.state,
    String(task.generation),
    String(task.attempts),
    task.guard,
    task.landed?.slice(0, 12) ?? '-',
    task.seconds.toFixed(1),
  ]);
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]!.length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join('  ')
      .trimEnd();
  const { read, write, content } = result.apiCalls;
  return [
    '',
    line(head),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map(line),
    '',
    `trunk ${result.trunk.before.slice(0, 12)} -> ${result.trunk.after.slice(0, 12)}, ${result.trunk.commits.length} landed builds, proven with plain git`,
    `API calls of the app: ${read} reads, ${write} writes (${content} of them make content)`,
    ...(scripted ? ['The agent was a script, not a model: no cost.'] : []),
    ...result.problems.map((problem) => `WRONG: ${problem}`),
    `${result.ok ? 'All right' : 'Not right'}, ${result.seconds} s.`,
    '',
  ].join('\n');
}
