import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AttemptEnd } from '../../../src/worker/attempt.ts';
import type { WorkerJob, WorkerTools } from '../../../src/worker/worker-job.ts';
import {
  type Answer,
  apiError,
  closeAll,
  json,
  message,
  openAccess,
  type Seen,
  stream,
  upstreamServer,
} from './gateway/support/gateway-world.ts';
import { type AttemptWorld, openAttempt } from './support/attempt-world.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

let here: AttemptWorld;
beforeAll(async () => {
  here = await openAttempt({ limits: { maxTurns: 3, wallClockMs: 40_000 } });
});
afterEach(closeAll);
afterAll(() => here.close());

/** The agent's way of asking its model; what it does with an error is what the real one does. */
const askFirst = `
const ask = async (more = {}) => fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', {
  method: 'POST', headers: { 'x-api-key': process.env.ANTHROPIC_API_KEY },
  body: JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 10, ...more }) });
const askOrFail = async () => { const answer = await ask(); const text = await answer.text(); if (answer.status !== 200) {
  emit({ type: 'assistant', error: answer.status === 429 ? 'rate_limit' : 'unknown', message: { id: 'e', model: '<synthetic>', content: [] } });
  fail({ api_error_status: answer.status, result: 'API Error: ' + answer.status + ' ' + text }); } return text; };
`;
const working = `${askFirst} await askOrFail(); fix(); addTest(); done();`;

interface Run {
  readonly end: AttemptEnd;
  readonly exitCode: number;
  readonly report: Extract<AttemptEnd, { kind: 'reported' }>['report'];
  readonly seen: Seen[];
  readonly tookMs: number;
}

async function run(
  script: string,
  answer: Answer,
  changes: { job?: Partial<WorkerJob>; tools?: Partial<WorkerTools> } = {},
): Promise<Run> {
  const { url, seen } = await upstreamServer(answer);
  here.log.length = 0;
  const began = performance.now();
  const job = { modelUrl: new URL(url), ...changes.job };
  const end = await here.run(await here.agent(script), job, changes.tools ?? {});
  if (end.kind !== 'reported') throw new Error(end.kind);
  return { end, exitCode: end.exitCode, report: end.report, seen, tookMs: performance.now() - began };
}

/** Answers one after the other, the last one for ever. */
const inTurn =
  (...answers: Answer[]): Answer =>
  (response, seen) =>
    ((answers.length > 1 ? answers.shift() : answers[0]) as Answer)(response, seen);
const usedUp =
  (headers: Record<string, string>): Answer =>
  (response) =>
    json(
      response,
      apiError('rate_limit_error', 'You have reached your specified API usage limits.'),
      429,
      headers,
    );

describe('a usage limit', () => {
  it('that ends in time is waited for, and costs no retry', async () => {
    const { report, exitCode, seen, tookMs } = await run(
      working,
      inTurn(
        usedUp({ 'retry-after': '2' }),
        usedUp({ 'retry-after': '1' }),
        usedUp({ 'retry-after': '1' }),
        usedUp({ 'retry-after': '1' }),
        (response) => json(response),
      ),
    );
    expect([report.status, exitCode]).toEqual(['ready', 0]);
    // Four pauses: more than there are retries.
    expect(seen.length).toBe(5);
    expect(tookMs).toBeGreaterThan(5000 + 4 * 1000 - 200);
    expect(here.log.join()).toContain('met a usage limit');
  });

  it('that ends too late ends the attempt, with its time in the report', async () => {
    const { report, exitCode, seen } = await run(working, usedUp({ 'retry-after': '7200' }));
    const { resetsAt, ...outcome } = report.outcome;
    expect([report.status, outcome, exitCode]).toEqual([
      'blocked',
      { class: 'auth', reason: 'usage-limit' },
      1,
    ]);
    expect(Math.abs(Date.parse(String(resetsAt)) - Date.now() - 7_200_000)).toBeLessThan(30_000);
    expect(seen.length).toBe(1);
  });

  it('without a time trips the breaker at once', async () => {
    const { report, exitCode, seen } = await run(working, usedUp({}));
    expect([report.outcome.class, report.outcome.reason, exitCode]).toEqual([
      'auth',
      'breaker-usage-limit',
      65,
    ]);
    expect(seen.length).toBe(1);
  });
});

describe('a retry', () => {
  it('waits as long as the server asks for, when that is longer', async () => {
    const slow: Answer = (response) =>
      json(response, apiError('rate_limit_error', 'slow down'), 429, { 'retry-after': '4' });
    const { report } = await run(
      working,
      inTurn(slow, (response) => json(response)),
    );
    expect(report.status).toBe('ready');
    // Without the server's wish it would be a second.
    const [waitMs] = here.log.flatMap((line) => /"waitMs":(\d+)/.exec(line)?.slice(1) ?? []);
    expect(Number(waitMs)).toBeGreaterThan(1500);
  });

  it('of the agent\u2019s own counts for the breaker', async () => {
    const retry = `emit({ type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 3, retry_delay_ms: 1, error_status: 529, error: 'overloaded' });`;
    const failing = `${askFirst} for (let n = 0; n < 3; n += 1) { ${retry} } fail({ api_error_status: 529 });`;
    const limits = { consecutiveFailures: 5, totalRetries: 4, consecutiveEmpty: 3 };
    const { report, exitCode } = await run(failing, (response) => json(response), {
      job: { breaker: limits },
    });
    expect([report.outcome.reason, exitCode]).toEqual(['breaker-retries', 65]);

    // A run that came to a good end did, however often it had to ask.
    const well = `${askFirst} for (let n = 0; n < 9; n += 1) { ${retry} } await askOrFail(); fix(); addTest(); done();`;
    const good = await run(well, (response) => json(response), { job: { breaker: limits } });
    expect([good.report.status, good.exitCode]).toEqual(['ready', 0]);
    expect(good.report.usage.microUsd).toBe(9000);

    // Money comes first.
    const dear = `${askFirst} for (let n = 0; n < 9; n += 1) { ${retry} } await ask(); await ask(); await wait(20000);`;
    const rich = message({ usage: { input_tokens: 400_000, output_tokens: 1 } });
    const spent = await run(dear, (response) => json(response, rich), { job: { breaker: limits } });
    expect([spent.report.outcome, spent.exitCode]).toEqual([{ class: 'budget', reason: 'max-cost' }, 64]);
    expect(spent.report.usage.microUsd).toBe(1_200_015);
  });
});

describe('the gateway\u2019s hard stops', () => {
  it('bound an agent that goes around its own turns, and hand over what was finished', async () => {
    const endless = `${askFirst} fix(); for (let n = 0; n < 100; n += 1) await ask({ stream: true }); await wait(20000);`;
    const { report, exitCode, seen } = await run(endless, (response) => stream(response));
    expect([report.outcome, exitCode]).toEqual([{ class: 'budget', reason: 'max-turns' }, 64]);
    expect(seen.length).toBe(12);
    expect(report.tree).not.toBeNull();
  });

  it('say when no key is left, and that some were lost before', async () => {
    const { url } = await upstreamServer((response, { headers }) =>
      headers['x-api-key'] === 'sk-third-canary'
        ? json(response)
        : json(response, apiError('authentication_error', 'invalid x-api-key'), 401),
    );
    const keys = ['sk-first-canary', 'sk-second-canary', 'sk-third-canary'];
    const some = await run(working, (response) => json(response), {
      tools: { model: await openAccess(url, { keys }) },
    });
    expect(some.report.status).toBe('ready');
    expect(here.log.filter((line) => line.includes('slot-lost')).length).toBe(2);
    expect(here.log.join()).toMatch(/not all keys for the model can be used","usable":1,"of":3/);
    expect(here.log.join()).not.toContain('canary');
    const none = await run(working, (response) => json(response), {
      tools: { model: await openAccess(url, { keys: keys.slice(0, 2) }) },
    });
    expect([none.report.status, none.report.outcome]).toEqual([
      'blocked',
      { class: 'auth', reason: 'invalid-api-key' },
    ]);
  });
});

describe('keys of made-up shape', () => {
  // Put together here, so that this file holds nothing shaped like a key.
  const keys = ['one', 'two'].map(
    (name) => `${['sk-', 'ant-api03-'].join('')}canary-${name}-${'aB3_'.repeat(8)}`,
  );
  const marks = ['canary-one', 'canary-two', 'canary-env', 'canary-file'];

  it('are nowhere that the agent can look, nor in anything that is handed in, logged or kept', async () => {
    const machineFolder = join(here.scratch, 'machine');
    const secretFile = join(here.scratch, 'temp', 'secret-file');
    mkdirSync(join(here.scratch, 'temp'), { recursive: true });
    writeFileSync(secretFile, 'canary-file');
    const script = `${askFirst}
      const answer = await askOrFail();
      const found = [answer, JSON.stringify(process.env)];
      const look = (path) => { try { if (fs.statSync(path).size < 5e6) found.push(path + fs.readFileSync(path, 'latin1')); } catch {} };
      const read = (path) => { try { found.push(fs.readFileSync(path, 'latin1')); } catch {} };
      for (const pid of fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)))
        for (const file of ['environ', 'cmdline', 'maps', 'mountinfo', 'task/' + pid + '/environ']) read('/proc/' + pid + '/' + file);
      for (const pid of ['self', 'thread-self', String(process.pid)]) for (const file of ['environ', 'mem', 'auxv', 'fdinfo/3']) read('/proc/' + pid + '/' + file);
      let left = 20000;
      const walk = (dir, depth) => { let list = []; try { list = fs.readdirSync(dir, { withFileTypes: true }); } catch {} for (const one of list) { if ((left -= 1) < 0) return; const at = dir + '/' + one.name; found.push(one.name); if (one.isDirectory()) { if (depth > 0) walk(at, depth - 1); } else if (one.isFile()) look(at); } };
      for (const [dir, depth] of [[${JSON.stringify(here?.scratch ?? '')} || process.cwd() + '/../../..', 6], [process.env.HOME, 4], ['/tmp', 3], ['/run', 3], ['/dev/shm', 2], ['/root', 1]]) walk(dir, depth);
      const all = found.join('\\n');
      fs.writeFileSync('src/looked.mjs', 'export const looked = ' + all.length + ';\\n');
      fix(); addTest();
      done(JSON.stringify({ looked: all.length > 1000, found: ${JSON.stringify(marks.map((mark) => mark.split('-')))}.map((parts) => all.includes(parts.join('-'))) }));`;
    const { url, seen } = await upstreamServer((response) => json(response));
    const model = await openAccess(url, { keys, machineFolder });
    const environment = { ...process.env, ANTHROPIC_API_KEY: 'canary-env', CCD_MODEL_KEY: keys.join('\n') };
    const { report } = await run(script, (response) => json(response), {
      job: { environment, hidden: [machineFolder, secretFile] },
      tools: { model },
    });
    expect(report.status).toBe('ready');
    expect(JSON.parse(report.claim?.summary ?? '')).toEqual({ looked: true, found: marks.map(() => false) });
    // The real key went where it belongs, so there was one to be found.
    expect(seen[0]?.headers['x-api-key']).toBe(keys[0]);
    const artifacts = [...here.artifacts.values()].flatMap((folder) =>
      readdirSync(folder).map((name) => join(folder, name)),
    );
    const kept = readdirSync(machineFolder).map((name) => join(machineFolder, name));
    const published = [...artifacts, ...kept].map((file) => file + readFileSync(file, 'latin1'));
    for (const mark of marks)
      expect([...published, ...here.log, JSON.stringify(report)].join('\n')).not.toContain(mark);
  });
});
