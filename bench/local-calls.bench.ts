import type { BenchWorld } from './support/bench-world.ts';
import { openBenchWorld } from './support/bench-world.ts';
import { type Figure, median, rounded, timed } from './support/figure.ts';

const r = { owner: 'acme', repo: 'demo' };
const SPANS = 9;

/** What the app asks between two passes, and what it writes: reads to writes as 6 to 1, as counted in the demonstration. */
async function round(world: BenchWorld, task: Task, index: number): Promise<number> {
  const { asApp, trunk } = world;
  await asApp.rest.issues.get({ ...r, issue_number: task.issue });
  await asApp.rest.issues.listForRepo({ ...r, labels: 'ccd:dispatch', per_page: 100 });
  await asApp.rest.issues.listEventsForTimeline({ ...r, issue_number: task.issue, per_page: 100 });
  await asApp.rest.git.getRef({ ...r, ref: 'heads/main' });
  await asApp.rest.checks.listForRef({ ...r, ref: trunk, per_page: 100 });
  await asApp.rest.repos.get(r);
  // One comment for each task, edited in place.
  await asApp.rest.issues.updateComment({ ...r, comment_id: task.comment, body: `Progress ${index}` });
  return 7;
}

interface Task {
  readonly issue: number;
  readonly comment: number;
}

async function newTask({ asOwner, asApp }: BenchWorld, index: number): Promise<Task> {
  const labels = index < 10 ? ['ccd:dispatch'] : [];
  const { data: issue } = await asOwner.rest.issues.create({ ...r, title: `Issue ${index}`, labels });
  const said = { ...r, issue_number: issue.number, body: 'Progress' };
  const { data: comment } = await asApp.rest.issues.createComment(said);
  return { issue: issue.number, comment: comment.id };
}

async function callsPerSecond(
  door: 'in-process' | 'http',
  validate: 'off' | 'collect',
  rounds: number,
): Promise<{ perSecond: number; cpuPerSecond: number }> {
  const world = await openBenchWorld(door, { validate });
  try {
    const tasks: Task[] = [];
    for (let index = 0; index < 50; index += 1) tasks.push(await newTask(world, index));
    const play = async (count: number): Promise<number> => {
      let calls = 0;
      for (let index = 0; index < count; index += 1)
        calls += await round(world, tasks[index % tasks.length]!, index);
      return calls;
    };
    // A simulation runs for minutes: what the engine has not compiled yet is no part of the figure.
    await play(rounds);
    const speeds: number[] = [];
    let calls = 0;
    const cpu = process.cpuUsage();
    // The middle of several spans: what else the machine does for a moment is no part of the figure, either.
    for (let span = 0; span < SPANS; span += 1) {
      let inSpan = 0;
      const ms = await timed(async () => {
        inSpan = await play(Math.ceil(rounds / SPANS));
      });
      calls += inSpan;
      speeds.push((inSpan / ms) * 1_000);
    }
    const { user, system } = process.cpuUsage(cpu);
    return { perSecond: median(speeds), cpuPerSecond: calls / ((user + system) / 1e6) };
  } finally {
    await world.close();
  }
}

export async function run(): Promise<Figure[]> {
  const inProcess = await callsPerSecond('in-process', 'off', 800);
  const checked = await callsPerSecond('in-process', 'collect', 800);
  const http = await callsPerSecond('http', 'off', 200);
  return [
    { name: 'calls in process', value: rounded(inProcess.perSecond), unit: '/s', goal: '2,000' },
    {
      name: 'calls in process per CPU second',
      value: rounded(inProcess.cpuPerSecond),
      unit: '/s',
      goal: '2,000',
    },
    { name: 'calls in process, validated', value: rounded(checked.perSecond), unit: '/s' },
    {
      name: 'cost of validation',
      value: rounded(inProcess.perSecond / checked.perSecond, 2),
      unit: '×',
      goal: '< 3',
    },
    { name: 'calls over HTTP', value: rounded(http.perSecond), unit: '/s', goal: '300' },
  ];
}
