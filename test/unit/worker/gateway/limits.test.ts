import {
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { heardLimit, retryAfterMs } from '../../../../src/worker/gateway/heard-limit.ts';
import { LimitBoard } from '../../../../src/worker/gateway/limit-board.ts';
import { thisOwner } from '../../../../src/worker/gateway/owner.ts';
import { SharedFolder } from '../../../../src/worker/gateway/shared-folder.ts';
import {
  type Answer,
  apiError,
  closeAll,
  json,
  message,
  openGateway,
  request,
  scratchFolder,
  upstreamServer,
} from './support/gateway-world.ts';
import { workerProgram } from './support/start-worker.ts';

afterEach(closeAll);

const now = Date.parse('2026-03-01T12:00:00Z');
const slow = apiError('rate_limit_error', 'slow down');

describe('what an answer says about limits', () => {
  const heard = (status: number, headers: Record<string, string> = {}, text = '') =>
    heardLimit(status, headers, text, now);

  it('is read from retry-after, in seconds, in milliseconds, as a date', () => {
    expect(heard(429, { 'retry-after': '7' })).toEqual({ why: 'rate-limit', forMs: 7000, named: true });
    expect(heard(429, { 'retry-after': '7', 'retry-after-ms': '250' })?.forMs).toBe(250);
    expect(heard(529, { 'retry-after': 'Sun, 01 Mar 2026 12:00:30 GMT' })).toMatchObject({
      why: 'overloaded',
      forMs: 30_000,
    });
    expect(heard(429)).toEqual({ why: 'rate-limit', forMs: 10_000, named: false });
    expect(heard(429, { 'retry-after': 'soon' })?.named).toBe(false);
    expect(heard(429, { 'retry-after': '999999999' })?.forMs).toBe(3_600_000);
  });

  it('is read from a bucket that is empty, and never trusts a clock far off', () => {
    const bucket = (remaining: string, reset: string) => ({
      'anthropic-ratelimit-input-tokens-remaining': remaining,
      'anthropic-ratelimit-input-tokens-reset': reset,
    });
    expect(heard(200, bucket('0', '2026-03-01T12:00:20Z'))).toMatchObject({
      why: 'rate-limit',
      forMs: 20_000,
    });
    expect(heard(200, bucket('1', '2026-03-01T12:00:20Z'))).toBeNull();
    expect(heard(200, bucket('0', '2026-03-01T11:00:20Z'))).toBeNull();
    expect(heard(200, bucket('0', '2027-03-01T11:00:20Z'))?.forMs).toBe(60_000);
  });

  it('tells an allowance from a rate limit, with its end', () => {
    const text =
      'You have reached your specified API usage limits. You will regain access on 2026-03-02 at 00:00 UTC.';
    expect(heard(400, {}, text)).toEqual({ why: 'usage-limit', forMs: 12 * 3_600_000, named: true });
    expect(heard(400, {}, 'You have reached your specified API usage limits.')).toMatchObject({
      named: false,
    });
    expect(heard(200, {}, text)).toBeNull();
    const reset = String(now / 1000 + 7200);
    const rejected = {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': reset,
    };
    expect(heard(429, rejected)).toMatchObject({ why: 'usage-limit', forMs: 7_200_000 });
    expect(heard(400, {}, 'bad request')).toBeNull();
    expect(heard(500)).toBeNull();
  });

  it('is never negative and never without end, whatever headers hold', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(200, 400, 429, 503, 529),
        fc.string(),
        fc.string(),
        (status, after, reset) => {
          const one = heard(status, {
            'retry-after': after,
            'anthropic-ratelimit-requests-remaining': '0',
            'anthropic-ratelimit-requests-reset': reset,
          });
          if (one !== null) expect(one.forMs >= 0 && one.forMs <= 35 * 86_400_000).toBe(true);
          const ms = retryAfterMs({ 'retry-after': after }, now);
          expect(ms === null || ms >= 0).toBe(true);
        },
      ),
    );
  });
});

/** A model that serves so many requests in each period and refuses the others. */
function bucket(most: number, periodMs: number): { answer: Answer; refused: () => number } {
  let until = 0;
  let left = 0;
  let refused = 0;
  return {
    refused: () => refused,
    answer: (response) => {
      const at = Date.now();
      if (at >= until) {
        until = at + periodMs;
        left = most;
      }
      left -= 1;
      if (left >= 0) return json(response);
      refused += 1;
      json(response, slow, 429, { 'retry-after-ms': String(until - at), 'retry-after': '1' });
    },
  };
}

describe('limits that a whole machine knows', () => {
  it('end the storm: three processes, thirty requests, and hardly any of them is refused', async () => {
    const model = bucket(4, 400);
    const { url, seen } = await upstreamServer(model.answer);
    const start = await workerProgram();
    const order = { url, folder: scratchFolder(), requests: 10, atOnce: 5 };
    const workers = [start(order), start(order), start(order)];
    const said = await Promise.all(workers.map((worker) => worker.said));
    const statuses = said.flatMap((one) => one.statuses);
    expect(statuses.length).toBe(30);
    // Those that were sent before anybody had heard of the limit, and few more.
    expect(model.refused()).toBeLessThanOrEqual(20);
    const passed = statuses.filter((status) => status === 200).length;
    expect(passed).toBe(30 - model.refused());
    expect(passed).toBeGreaterThanOrEqual(10);
    expect(seen.length).toBe(30);
    expect(said.reduce((sum, one) => sum + one.waited, 0)).toBeGreaterThan(400);
  });

  it('hold a request back until the limit is over, and tell so', async () => {
    const came: number[] = [];
    const { post, events, lines } = await openGateway((response) => {
      came.push(performance.now());
      if (came.length > 1) return json(response);
      json(response, slow, 429, { 'retry-after-ms': '800' });
    });
    expect((await post()).status).toBe(429);
    expect((await post()).status).toBe(200);
    expect((came[1] ?? 0) - (came[0] ?? 0)).toBeGreaterThan(780);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'model-waiting', why: 'rate-limit', ahead: 0 }),
    );
    await expect.poll(() => lines.length).toBe(2);
    expect(lines[1]?.waitedMs).toBeGreaterThan(0);
  });

  it('let requests back one by one, in the order in which they came', async () => {
    let underWay = 0;
    const most: number[] = [];
    const order: string[] = [];
    let limited = true;
    const { post } = await openGateway(async (response, { body }) => {
      if (limited) {
        limited = false;
        return json(response, slow, 429, { 'retry-after-ms': '300' });
      }
      underWay += 1;
      most.push(underWay);
      order.push((JSON.parse(String(body)) as { n: string }).n);
      await new Promise((resolve) => setTimeout(resolve, 60));
      underWay -= 1;
      json(response);
    });
    await (await post()).text();
    const asked: Promise<Response>[] = [];
    for (const n of ['a', 'b', 'c', 'd', 'e']) {
      asked.push(post(request({ n })));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(most[0]).toBe(1);
    expect(Math.max(...most.slice(0, 3))).toBeLessThanOrEqual(2);
    expect(order[0]).toBe('a');
    expect([...order].sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('are told instead of waited for when the wait is long', async () => {
    const { post, seen, gateway } = await openGateway(
      (response) => json(response, slow, 429, { 'retry-after': '120' }),
      { maxWaitMs: 500 },
    );
    await (await post()).text();
    expect(gateway.lastRefusal).toMatchObject({ status: 429, retryAfterMs: 120_000 });
    const second = await post();
    expect(second.status).toBe(429);
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(100);
    expect(await second.json()).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } });
    expect(seen.length).toBe(1);
  });

  it('are those of one model', async () => {
    const { post, seen } = await openGateway(
      (response, { body }) =>
        String(body).includes('haiku') ? json(response) : json(response, slow, 429, { 'retry-after': '120' }),
      { maxWaitMs: 100 },
    );
    await (await post()).text();
    expect((await post(request({ model: 'claude-haiku-4-5' }))).status).toBe(200);
    expect((await post()).status).toBe(429);
    expect(seen.length).toBe(2);
  });

  it('let a child that leaves the row go', async () => {
    let asked = 0;
    const { gateway, post, lines } = await openGateway((response) => {
      asked += 1;
      json(response, asked === 1 ? slow : message(), asked === 1 ? 429 : 200, { 'retry-after': '30' });
    });
    await (await post()).text();
    const left = new AbortController();
    const waiting = fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'ccd-child-key' },
      body: JSON.stringify(request()),
      signal: left.signal,
    }).catch(() => 'left');
    await new Promise((resolve) => setTimeout(resolve, 100));
    left.abort();
    expect(await waiting).toBe('left');
    await expect.poll(() => lines.map(({ end }) => end)).toEqual(['answered', 'child-left']);
    expect(asked).toBe(1);
  });
});

describe('the machine\u2019s folder', () => {
  const owner = (pid: number) => ({ ...thisOwner(), pid, start: 1 });
  const limit = { why: 'rate-limit', forMs: 60_000, named: true } as const;
  const open = async (folder: string, warnings: string[] = []) =>
    SharedFolder.open(folder, (text) => warnings.push(text));

  it('lets one process know what another has heard', async () => {
    const folder = scratchFolder();
    let at = now;
    const [one, two] = [1, 2].map(async (pid) => new LimitBoard(await open(folder), owner(pid), () => at));
    await (await one)?.limited('k', limit);
    expect(await (await two)?.state('k')).toEqual({
      kind: 'limited',
      why: 'rate-limit',
      leftMs: 60_000,
      room: 0,
    });
    expect(await (await two)?.state('other')).toEqual({ kind: 'free' });
    at += 60_000;
    expect(await (await two)?.state('k')).toMatchObject({ leftMs: 0, room: 1 });
    await (await two)?.passed('k');
    await (await one)?.passed('k');
    expect(await (await one)?.state('k')).toMatchObject({ room: 3 });
    for (let pass = 0; pass < 6; pass += 1) await (await two)?.passed('k');
    expect(await (await one)?.state('k')).toEqual({ kind: 'free' });
  });

  it('bounds what another clock says: a limit lasts no longer than it was told to', async () => {
    const folder = scratchFolder();
    let at = now;
    const ahead = new LimitBoard(await open(folder), owner(1), () => at + 86_400_000);
    const here = new LimitBoard(await open(folder), owner(2), () => at);
    await ahead.limited('k', limit);
    expect(await here.state('k')).toMatchObject({ leftMs: 60_000 });
    at += 60_000;
    expect(await here.state('k')).toMatchObject({ leftMs: 0 });
  });

  it('forgets a limit that nobody has tried since, and removes the file of a process that is gone', async () => {
    const folder = scratchFolder();
    let at = now;
    const gone = new LimitBoard(await open(folder), owner(2 ** 22 + 1), () => at);
    const here = new LimitBoard(await open(folder), owner(2), () => at);
    await gone.limited('k', limit);
    await here.state('k');
    at += 60_000 + 11 * 60_000;
    expect(await here.state('k')).toEqual({ kind: 'free' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each<[string, (path: string) => void]>([
    ['no JSON', (path) => writeFileSync(path, '{"version":1,')],
    [
      'other JSON',
      (path) => writeFileSync(path, '{"version":1,"why":"rate-limit","at":1,"forMs":-5,"passed":0}'),
    ],
    ['far too long', (path) => writeFileSync(path, Buffer.alloc(5_000_000, 'a'))],
    ['a folder', (path) => mkdirSync(path)],
    ['a link', (path) => symlinkSync('/etc/passwd', path)],
    ['empty', (path) => writeFileSync(path, '')],
  ])('is not led astray by a file that is %s', async (_what, make) => {
    const folder = scratchFolder();
    make(join(folder, 'limit.k.1_1_x'));
    const warnings: string[] = [];
    const board = new LimitBoard(await open(folder, warnings), owner(2), () => now);
    expect(await board.state('k')).toEqual({ kind: 'free' });
    await board.state('k');
    expect(warnings.length).toBeLessThanOrEqual(1);
  });

  it('that cannot be used is told, and work goes on', async () => {
    const file = join(scratchFolder(), 'file');
    writeFileSync(file, '');
    const warnings: string[] = [];
    const { post } = await openGateway((response) => json(response), {
      machineFolder: join(file, 'below'),
      keys: ['sk-one-key', 'sk-two-key'],
      warn: (text) => warnings.push(text),
    });
    expect((await post()).status).toBe(200);
    expect(warnings.length).toBe(1);
  });

  it('of another user is none', async () => {
    // Root can give a folder away; everybody else is a stranger in the root folder.
    const root = process.getuid?.() === 0;
    const folder = root ? scratchFolder() : '/';
    if (root) chownSync(folder, 65_534, 65_534);
    const warnings: string[] = [];
    expect(await SharedFolder.open(folder, (text) => warnings.push(text))).toBeNull();
    expect(warnings).toEqual(["the machine's folder cannot be used: it is of another user"]);
  });

  it('that is taken away while work goes on is told, and work goes on', async () => {
    const folder = join(scratchFolder(), 'machine');
    const warnings: string[] = [];
    let limited = true;
    const { post } = await openGateway(
      (response) => {
        if (!limited) return json(response);
        limited = false;
        json(response, slow, 429, { 'retry-after-ms': '50' });
      },
      { machineFolder: folder, warn: (text) => warnings.push(text) },
    );
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'a file in its place');
    expect((await post()).status).toBe(429);
    expect((await post()).status).toBe(200);
    expect(warnings.length).toBeGreaterThan(0);
  });

  it('holds no key, and nothing that anybody else could read', async () => {
    const folder = scratchFolder();
    const { post } = await openGateway((response) => json(response, slow, 429, { 'retry-after': '9' }), {
      machineFolder: folder,
      keys: ['sk-secret-canary-one', 'sk-secret-canary-two'],
      maxWaitMs: 1,
    });
    await (await post()).text();
    const names = readdirSync(folder);
    expect(names.some((name) => name.startsWith('limit.'))).toBe(true);
    expect(names.some((name) => name.startsWith('slot.'))).toBe(true);
    for (const name of names) {
      expect(name + readFileSync(join(folder, name), 'utf8')).not.toMatch(/canary/);
      expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
    }
  });
});
