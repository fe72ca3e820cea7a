import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ccd, root, runIn } from './support/run-cli.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ccd-batch-cli-'));
  await mkdir(join(dir, 'tmp'));
  await cp(join(root, 'fixtures/batch'), join(dir, 'p'), { recursive: true });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** No test reaches it: the scripted agent asks nobody unless an item says so. */
const env = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' };
const call = (...args: readonly string[]) => ccd('batch', 'p/audit.yml', '--agent', 'p/agent.mjs', ...args);
const write = (file: string, value: unknown) => writeFile(join(dir, 'p', file), JSON.stringify(value));

interface Document {
  readonly state: string;
  readonly exitCode: number;
  readonly phases: readonly {
    readonly items: { readonly done: number; readonly doneNow: number };
    readonly results: number;
  }[];
}

const document = (stdout: string) => JSON.parse(stdout) as Document;

/** Processes that carry the marker of any output folder and belong to this test's scratch. */
function leftovers(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${dir}/tmp/ccd-batch-`)
      );
    } catch {
      return false;
    }
  });
}

/** Starts the command and resolves once a line of standard error shows how far it is. */
async function startUntil(seen: RegExp) {
  const [program, ...args] = call('--phase', 'find', '--json');
  const child = execa(program, args, {
    cwd: dir,
    reject: false,
    // It would be taken for the command's own end.
    forceKillAfterDelay: false,
    env: { ...env, TMPDIR: join(dir, 'tmp') },
    timeout: 50_000,
  });
  let text = '';
  await new Promise<void>((resolve) => {
    child.stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      if (seen.test(text)) resolve();
    });
    void child.then(() => resolve());
  });
  return { child };
}

it('runs the example, hands on what is severe enough, and does nothing twice', async () => {
  const all = (await readFile(join(dir, 'p/functions.ndjson'), 'utf8')).split('\n');
  await writeFile(join(dir, 'p/functions.ndjson'), all.slice(0, 3).join('\n'));
  const first = await runIn(dir, call('--workers', '0', '--json'), env);
  expect([first.exitCode, first.stdout.trim().split('\n').length]).toEqual([0, 1]);
  expect(document(first.stdout)).toMatchObject({
    ok: true,
    state: 'completed',
    phases: [
      { phase: 'find', results: 3, cost: { max_budget_usd: 5, utilization_percent: 0 } },
      { phase: 'check', results: 2 },
    ],
  });
  expect(first.stderr).toContain('--workers is 0 and was lifted to 1');
  const again = await runIn(dir, call(), env);
  expect(again.exitCode).toBe(0);
  expect(again.stdout).toContain('find: done; 3 of 3 items done (0 now); 3 results');
  const events = (await readFile(join(dir, 'p/out/events.ndjson'), 'utf8')).trim().split('\n');
  const types = events.map((line) => (JSON.parse(line) as { type: string }).type);
  expect(types.filter((type) => type === 'batch-started').length).toBe(5);
  expect(types.at(-1)).toBe('pipeline-completed');
});

it.each([
  [{ phasess: [] }, /Unrecognized key: "phasess"/],
  [{ name: 'A b' }, /name: lower-case/],
  [{ phases: [{ name: 'a', prompt: 'p', input: { phase: 'a' } }] }, /they wait for one another: a → a/],
  [{ phases: [{ name: 'a', input: { phase: 'b' } }] }, /exactly one of prompt.*there is no phase "b"/],
  [
    { phases: [{ name: 'a', prompt: 'p', input: { files: 'x' }, breaker: { failures: 0 } }] },
    /breaker\.failures/,
  ],
  [{ phases: [{ name: 'a', prompt: 'p', input: { files: 'x' }, batch: { size: 2 } }] }, /result_item/],
  [{ phases: [{ name: 'a', prompt: 'p', input: { files: 'none.json' } }] }, /none\.json cannot be read/],
  [
    { phases: [{ name: 'a', prompt: 'p', input: { files: 'x' }, schema: 'agent.mjs' }] },
    /agent\.mjs cannot be used/,
  ],
] as const)('refuses with 2 and a sentence: %j', async (change, sentence) => {
  const whole = {
    version: 1,
    name: 'x',
    model: 'm',
    phases: [{ name: 'a', prompt: 'p', input: { files: 'functions.ndjson' } }],
  };
  await write('bad.json', { ...whole, ...change });
  const ended = await runIn(dir, ccd('batch', 'p/bad.json', '--agent', 'p/agent.mjs', '--json'), env);
  expect(ended.stderr).toMatch(sentence);
  expect(ended.exitCode).toBe(2);
  expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code: expect.stringMatching(/^batch\./) } });
});

it('refuses a second run in the same folder, options that are no numbers, and an agent that is not there', async () => {
  const bad = await runIn(dir, call('--budget', 'much'), env);
  expect([bad.exitCode, bad.stderr]).toEqual([2, expect.stringContaining('--budget "much" is not dollars')]);
  const none = await runIn(dir, ccd('batch', 'p/audit.yml', '--agent', 'p/none'), env);
  expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining('is no executable')]);
});

it('a signal ends the agents, saves what is finished and tells it; a second one waits for nobody', async () => {
  const lines = Array.from({ length: 4 }, (_, at) =>
    JSON.stringify({ path: `f${at}`, severity: 'low', do: at < 2 ? 'answer' : 'stubborn' }),
  );
  await writeFile(join(dir, 'p/functions.ndjson'), lines.join('\n'));
  const { child: run } = await startUntil(/completed[\s\S]*completed/);
  run.kill('SIGTERM');
  const stopping = new Promise<void>((resolve) => {
    run.stderr.on('data', (chunk: Buffer) => chunk.toString('utf8').includes('Once more') && resolve());
  });
  await stopping;
  const began = performance.now();
  run.kill('SIGTERM');
  const ended = await run;
  // The stubborn agents would have had fifteen seconds.
  expect(performance.now() - began).toBeLessThan(10_000);
  expect([ended.exitCode, ended.signal, ended.stderr]).toEqual([143, undefined, expect.any(String)]);
  expect(document(ended.stdout).state).toBe('interrupted');
  expect(document(ended.stdout).phases[0]?.items.done).toBeGreaterThanOrEqual(1);
  expect(leftovers()).toEqual([]);
  expect(await readdir(join(dir, 'tmp'))).toEqual([]);
});

it('killed at any point, it goes on and ends with the same results as a run that nobody killed', async () => {
  const ids = Array.from({ length: 6 }, (_, at) => `f${at}`);
  const lines = ids.map((path) => JSON.stringify({ path, severity: 'low' }));
  await writeFile(join(dir, 'p/functions.ndjson'), lines.join('\n'));
  for (const point of [/0 done before/, /B1: completed/, /completed[\s\S]*completed/]) {
    const { child: run } = await startUntil(point);
    run.kill('SIGKILL');
    await run;
  }
  const last = await runIn(dir, call('--phase', 'find', '--json'), env);
  expect(document(last.stdout)).toMatchObject({ state: 'completed', phases: [{ items: { done: 6 } }] });
  // The three killed runs had not been in vain.
  expect(document(last.stdout).phases[0]?.items.doneNow).toBeLessThan(6);
  const results = JSON.parse(await readFile(join(dir, 'p/out/find_RESULTS.json'), 'utf8')) as {
    findings: { path: string }[];
  };
  expect(results.findings.map(({ path }) => path)).toEqual(ids);
  const partials = (await readdir(join(dir, 'p/out'))).filter((file) => file.includes('_PARTIAL_'));
  expect(partials.length).toBe(6);
  expect(leftovers()).toEqual([]);
});
