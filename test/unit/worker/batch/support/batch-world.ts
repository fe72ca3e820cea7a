import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../../../../src/host/clock.ts';
import { randomIds } from '../../../../../src/host/ids.ts';
import type { BatchEvent } from '../../../../../src/worker/batch/batch-event.ts';
import { type BatchJob, batchTimes } from '../../../../../src/worker/batch/batch-job.ts';
import { loadPipeline } from '../../../../../src/worker/batch/load-pipeline.ts';
import { openModel } from '../../../../../src/worker/batch/open-model.ts';
import type { PipelineEnd } from '../../../../../src/worker/batch/pipeline-end.ts';
import { runPipeline } from '../../../../../src/worker/batch/run-pipeline.ts';
import { type AskedSettings, runSettings } from '../../../../../src/worker/batch/run-settings.ts';

export const agent = join(import.meta.dirname, '../../../../../fixtures/batch/agent.mjs');

/** What the stand-in for the Messages API says to one request for an item: an order to the scripted agent, or a fault. */
export interface Said {
  readonly order?: Readonly<Record<string, unknown>>;
  readonly status?: number;
  readonly message?: string;
  /** Seconds. */
  readonly retryAfter?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly delayMs?: number;
}

export interface StoredEnvelope {
  readonly results: readonly Record<string, unknown>[];
  readonly metadata: unknown;
}

export interface RunOptions extends AskedSettings {
  readonly force?: readonly string[];
  readonly target?: string;
  readonly stop?: AbortSignal;
  readonly onEvent?: (event: BatchEvent) => unknown;
  readonly modelUrl?: URL;
  readonly modelKeys?: string;
  readonly program?: string;
}

export interface BatchWorld {
  readonly dir: string;
  readonly out: string;
  /** Items that the model was asked about, in order. */
  readonly asked: string[];
  /** Events of the last run. */
  events: BatchEvent[];
  say(answer: (id: string, nth: number) => Said): void;
  write(file: string, value: unknown): Promise<void>;
  run(pipeline: unknown, options?: RunOptions): Promise<PipelineEnd>;
  partials(phase?: string): Promise<{ file: string; value: StoredEnvelope }[]>;
  readonly modelUrl: string;
  close(): Promise<void>;
}

/** Long sleeps take a fiftieth: waits are seen in the events, not in the tests' time. */
const hurried: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => systemClock.sleep(ms >= 900 ? ms / 50 : ms, signal),
};

export async function openBatchWorld(): Promise<BatchWorld> {
  const dir = await mkdtemp(join(tmpdir(), 'ccd-batch-test-'));
  await mkdir(join(dir, 'temp'));
  const asked: string[] = [];
  let answer: (id: string, nth: number) => Said = () => ({ order: {} });
  const server = createServer((request, response) => {
    void readBody(request).then(async (body) => {
      const item = JSON.parse(JSON.parse(body).messages[0].content) as { id: unknown };
      const id = String(item.id);
      const nth = asked.filter((one) => one === id).length;
      asked.push(id);
      const said = answer(id, nth);
      if (said.delayMs !== undefined) await systemClock.sleep(said.delayMs);
      response.writeHead(said.status ?? 200, {
        'content-type': 'application/json',
        ...(said.retryAfter === undefined ? {} : { 'retry-after': String(said.retryAfter) }),
      });
      response.end(JSON.stringify(said.status === undefined ? message(said) : fault(said)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const modelUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const world: BatchWorld = {
    dir,
    out: join(dir, 'out'),
    asked,
    events: [],
    modelUrl,
    say: (next) => {
      answer = next;
    },
    write: async (file, value) => {
      const lines = Array.isArray(value) ? value.map((one) => JSON.stringify(one)).join('\n') : null;
      await writeFile(join(dir, file), typeof value === 'string' ? value : (lines ?? JSON.stringify(value)));
    },
    run: async (pipeline, options = {}) => {
      await writeFile(join(dir, 'pipeline.json'), JSON.stringify(pipeline));
      world.events = [];
      const loaded = await loadPipeline(join(dir, 'pipeline.json'), options.target ?? null);
      const tell = (event: BatchEvent) => {
        world.events.push(event);
        options.onEvent?.(event);
      };
      const job: BatchJob = {
        pipeline: loaded,
        ...runSettings(loaded, options),
        forced: new Set(options.force ?? []),
        program: options.program ?? agent,
        ephemeral: false,
        environment: process.env,
        agentEnvironment: {},
        readable: [],
        hidden: [],
        tempFolder: join(dir, 'temp'),
        times: { ...batchTimes, firstEventMs: 3_000_000 },
      };
      const keys = options.modelKeys ?? 'sk-canary-of-the-batch-tests';
      const settings = { modelUrl: options.modelUrl ?? new URL(modelUrl), modelKeys: keys, upstream: '' };
      const alone = { ...settings, machineFolder: null };
      const model = await openModel(alone, process.env, hurried, () => undefined);
      return runPipeline(job, {
        model,
        clock: hurried,
        ids: randomIds,
        random: () => 0,
        tell,
        stop: options.stop ?? new AbortController().signal,
        killNow: new AbortController().signal,
      }).finally(() => model.access.close());
    },
    partials: async (phase = '') => {
      const files = (await readdir(world.out)).filter(
        (file) => file.startsWith(phase) && file.includes('_PARTIAL_'),
      );
      return Promise.all(
        files
          .sort()
          .map(async (file) => ({ file, value: JSON.parse(await readFile(join(world.out, file), 'utf8')) })),
      );
    },
    close: async () => {
      await closeServer(server);
      await rm(dir, { recursive: true, force: true });
    },
  };
  return world;
}

async function readBody(request: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

let answers = 0;

function message({ order, outputTokens = 100, cacheReadTokens = 0 }: Said) {
  answers += 1;
  return {
    id: `msg_${answers}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [{ type: 'text', text: JSON.stringify(order ?? {}) }],
    stop_reason: 'end_turn',
    usage: {
      input_tokens: 0,
      output_tokens: outputTokens,
      cache_read_input_tokens: cacheReadTokens,
      cache_creation_input_tokens: 0,
    },
  };
}

function fault({ message: text }: Said) {
  return { type: 'error', error: { type: 'api_error', message: text ?? 'API Error' } };
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

/** A pipeline of one phase over `items.ndjson`, with whatever else is given. */
export function onePhase(
  phase: Readonly<Record<string, unknown>> = {},
  more: Readonly<Record<string, unknown>> = {},
) {
  return {
    version: 1,
    name: 'test',
    model: 'claude-sonnet-4-5',
    workers: 1,
    phases: [{ name: 'one', prompt: 'Look at it.', input: { files: 'items.ndjson' }, ...phase }],
    ...more,
  };
}

export const items = (count: number, more: Readonly<Record<string, unknown>> = { ask: true }) =>
  Array.from({ length: count }, (_, index) => ({ id: `i${index}`, ...more }));
