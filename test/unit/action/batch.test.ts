import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type BatchInputs, runBatchCommand } from '../../../src/action/batch.ts';
import { batchSummary } from '../../../src/action/batch-summary.ts';
import { partialUploads } from '../../../src/action/partial-uploads.ts';
import { costFigures } from '../../../src/worker/batch/batch-event.ts';
import { emptyPhaseEnd } from '../../../src/worker/batch/phase-end.ts';
import type { PipelineEnd } from '../../../src/worker/batch/pipeline-end.ts';

let dir: string;
let uploaded: Map<string, string[]>;
let log: string[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ccd-batch-action-'));
  await mkdir(join(dir, 'temp'));
  await cp(join(import.meta.dirname, '../../../fixtures/batch'), join(dir, 'p'), { recursive: true });
  uploaded = new Map();
  log = [];
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const artifacts = {
  upload: async ({ name, files }: { readonly name: string; readonly files: readonly string[] }) => {
    for (const file of files) await readFile(file);
    uploaded.set(
      name,
      files.map((file) => basename(file)),
    );
  },
};

const inputs: BatchInputs = {
  pipeline: 'p/audit.yml',
  phase: 'find',
  workers: '',
  maxConcurrent: '',
  budget: '',
  runBudget: '',
  force: false,
  claude: 'p/agent.mjs',
  modelUrl: 'http://127.0.0.1:9',
  modelKey: 'sk-canary-of-the-action',
  modelUpstream: '',
  machineFolder: '',
  ephemeral: false,
};

const run = (changes: Partial<BatchInputs> = {}, env: Record<string, string> = {}) =>
  runBatchCommand(
    { ...inputs, claude: join(dir, 'p/agent.mjs'), ...changes },
    {
      env: {
        PATH: process.env.PATH,
        RUNNER_TEMP: join(dir, 'temp'),
        GITHUB_STEP_SUMMARY: join(dir, 'summary.md'),
        ...env,
      },
      cwd: dir,
      artifacts,
      stop: new AbortController().signal,
      killNow: new AbortController().signal,
      writeLog: (line) => log.push(line),
    },
  );

it('runs a pipeline, uploads each partial once, and writes the summary of the step', async () => {
  const items = [
    { path: 'a::set-output name=x::y', severity: 'high' },
    { path: 'b', severity: 'low', do: 'error', status: 400 },
  ];
  await writeFile(join(dir, 'p/functions.ndjson'), items.map((item) => JSON.stringify(item)).join('\n'));
  expect(await run()).toEqual({ state: 'failed', exitCode: 1 });
  const files = [...uploaded.values()].flat();
  const partials = (await readdir(join(dir, 'p/out'))).filter((file) => file.includes('_PARTIAL_'));
  expect(files.sort()).toEqual([...partials, 'events.ndjson', 'find_RESULTS.json'].sort());
  expect([...uploaded.keys()]).toEqual([expect.stringMatching(/^ccd-batch-audit-[0-9a-f]{6}-1$/)]);
  const summary = await readFile(join(dir, 'summary.md'), 'utf8');
  expect(summary).toContain('## ❌ audit: failed');
  expect(summary).toContain('| find | failed (`unfinished-items`) | 1 of 2 | 2 | 1 | 0 |');
  expect(summary).toMatch(/- find W1B1: `.*`: `b`/);
  // No line of the log is anything but JSON, so that none is a command.
  expect(log.every((line) => line.startsWith('{'))).toBe(true);
  expect(log.join()).not.toContain('canary');
});

it('a summary that cannot be written is only a warning', async () => {
  await writeFile(join(dir, 'p/functions.ndjson'), '{"path":"a","severity":"low"}');
  const end = await run({}, { GITHUB_STEP_SUMMARY: join(dir, 'no/folder') });
  expect(end).toEqual({ state: 'completed', exitCode: 0 });
  expect(log.join()).toContain('the summary cannot be written');
});

it('refuses what it cannot use', async () => {
  await expect(run({ pipeline: '' })).rejects.toMatchObject({ code: 'action.input' });
  await expect(run({ modelUrl: 'ftp://x' })).rejects.toMatchObject({ code: 'action.input' });
  await expect(run({ claude: join(dir, 'none') })).rejects.toMatchObject({ code: 'worker.agent-missing' });
  await expect(run({ phase: 'none' })).rejects.toMatchObject({ code: 'batch.pipeline' });
});

it('uploads what has come together every five minutes, each file once, and says when one was lost', async () => {
  let now = 0;
  const clock = { now: () => now, sleep: async () => undefined };
  const sent: string[][] = [];
  let isBroken = false;
  const store = {
    upload: async ({ files }: { readonly files: readonly string[] }) => {
      if (isBroken) throw new Error('no network');
      sent.push(files.map((file) => basename(file)));
    },
  };
  const uploads = partialUploads(store, '/o', 'n', clock);
  uploads.add('a');
  now = 5 * 60_000;
  uploads.add('b');
  uploads.add('c');
  expect(await uploads.finish(['d'])).toBe(true);
  expect(sent).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  isBroken = true;
  uploads.add('e');
  expect(await uploads.finish([])).toBe(false);
});

it('the bar has twenty cells of five per cent: green, yellow from 50, red from 80; ids cannot leave their code', () => {
  const cost = (microUsd: number) =>
    costFigures({
      inputTokens: 0,
      outputTokens: 0,
      microUsd,
      maxMicroUsd: 1_000_000,
      batches: 1,
      estimated: false,
    });
  const summaryOf = (microUsd: number) => {
    const phase = {
      ...emptyPhaseEnd('one', 'x', null),
      cost: cost(microUsd),
      unfinished: [{ worker: 0, batch: 1, reason: 'r', ids: ['`</code>\n# big'], file: null }],
    };
    const end: PipelineEnd = {
      state: 'failed',
      exitCode: 1,
      phases: [phase],
      pending: ['two'],
      costUsd: 0,
      seconds: 1,
      isolation: 'sandbox',
      network: 'closed',
    };
    return batchSummary('n', end);
  };
  expect(summaryOf(490_000)).toContain(`one: ${'🟩'.repeat(9)}${'⬜'.repeat(11)} 49 %`);
  expect(summaryOf(500_000)).toContain(`one: ${'🟨'.repeat(10)}${'⬜'.repeat(10)} 50 %`);
  expect(summaryOf(800_000)).toContain(`one: ${'🟥'.repeat(16)}${'⬜'.repeat(4)} 80 %`);
  expect(summaryOf(1_700_000)).toContain(`one: ${'🟥'.repeat(20)} 170 %`);
  expect(summaryOf(0)).toContain('- one W0B1: `r`: ` </code> # big`');
});
