import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { systemClock } from '../src/host/clock.ts';
import { type AgentRun, runAgent } from '../src/worker/claude/process.ts';
import { ClaudeHouse } from '../test/claude/support/run-claude.ts';
import { startModel } from '../test/support/scripted-model/start.ts';
import { type Figure, median, rounded, timed } from './support/figure.ts';

const rounds = 7;
const script = {
  turns: [{ tool: { name: 'Bash', input: { command: 'true', description: 'nothing' } } }, { text: 'Done.' }],
};

/** The same command line, environment and files, and nothing around it. */
function bare({
  argv: [program, ...args],
  cwd,
  env,
  prompt,
  stdoutFile,
  stderrFile,
}: AgentRun): Promise<void> {
  const [stdout, stderr] = [openSync(stdoutFile, 'a'), openSync(stderrFile, 'a')];
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['pipe', stdout, stderr] });
    for (const file of [stdout, stderr]) closeSync(file);
    child.once('error', reject);
    child.once('exit', () => resolve());
    child.stdin?.end(prompt);
  });
}

/** Resident bytes of the programs that stand around the CLI while it runs. */
function wrapperBytes(): number {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .map((pid) => (isWrapper(pid) ? residentOf(pid) : 0))
    .reduce((sum, bytes) => sum + bytes, 0);
}

function isWrapper(pid: string): boolean {
  return textOf(`/proc/${pid}/cmdline`).includes('ccd-sandbox');
}

function residentOf(pid: string): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // Ended meanwhile.
    return '';
  }
}

/** The most that a figure came to while a task ran. */
async function mostDuring(figure: () => number, task: () => Promise<unknown>): Promise<number> {
  let most = figure();
  const timer = setInterval(() => {
    most = Math.max(most, figure());
  }, 100);
  await task();
  clearInterval(timer);
  return most;
}

const ownCpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Harness: sandbox, process, stream and sweep. What the gateway adds to an answer is measured by itself. */
export async function run(): Promise<Figure[]> {
  const house = await ClaudeHouse.open();
  const model = await startModel({ default: script });
  try {
    const next = () => house.prepare(model.urlFor('default', String(Math.random())));
    await bare(next());
    const before = process.memoryUsage().rss;
    const times: { bare: number; harness: number; cpu: number }[] = [];
    let parent = before;
    for (let round = 0; round < rounds; round += 1) {
      const [alone, within] = [next(), next()];
      const bareMs = await timed(() => bare(alone));
      const cpu = ownCpu();
      let harnessMs = 0;
      parent = Math.max(
        parent,
        await mostDuring(
          () => process.memoryUsage().rss,
          async () => {
            harnessMs = await timed(() => runAgent(house.sandbox, within, systemClock));
          },
        ),
      );
      times.push({ bare: bareMs, harness: harnessMs, cpu: ownCpu() - cpu });
    }
    const last = next();
    const wrappers = await mostDuring(wrapperBytes, () => runAgent(house.sandbox, last, systemClock));
    const of = (pick: (time: (typeof times)[number]) => number) => rounded(median(times.map(pick)));
    return [
      { name: 'the bare CLI, a run of two answers', value: of((time) => time.bare), unit: 'ms' },
      {
        name: 'the same in the harness: more',
        value: of((time) => time.harness - time.bare),
        unit: 'ms',
        goal: 'under 150',
      },
      { name: 'CPU time of the parent, a run', value: of((time) => time.cpu), unit: 'ms' },
      {
        name: 'resident memory that runs add to the parent',
        value: rounded((parent - before) / 1e6, 1),
        unit: 'MB',
        goal: 'under 60 with the next',
      },
      { name: 'resident memory of the wrappers', value: rounded(wrappers / 1e6, 1), unit: 'MB' },
    ];
  } finally {
    await model.close();
    house.close();
  }
}
