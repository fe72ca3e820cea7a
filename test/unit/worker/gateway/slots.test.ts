import { once } from 'node:events';
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ownerName, thisOwner } from '../../../../src/worker/gateway/owner.ts';
import {
  type Answer,
  apiError,
  closeAll,
  json,
  openAccess,
  openGateway,
  openOn,
  scratchFolder,
  upstreamServer,
} from './support/gateway-world.ts';
import { workerProgram } from './support/start-worker.ts';

afterEach(closeAll);

const keys = ['sk-key-one', 'sk-key-two', 'sk-key-three'];
const refused = apiError('authentication_error', 'invalid x-api-key');
/** Answers by the key that was shown. */
const byKey =
  (answers: Readonly<Record<string, (response: Parameters<Answer>[0]) => void>>): Answer =>
  (response, { headers }) =>
    (answers[String(headers['x-api-key'])] ?? json)(response);

const usageLimit =
  (end: string): ((response: Parameters<Answer>[0]) => void) =>
  (response) =>
    json(
      response,
      apiError(
        'invalid_request_error',
        `You have reached your specified API usage limits. You will regain access on ${end} at 00:00 UTC.`,
      ),
      400,
    );

describe('several keys', () => {
  it('are each used by one process at a time, and free as soon as that has died', async () => {
    const { url } = await upstreamServer((response) => json(response));
    const start = await workerProgram();
    const order = { url, folder: scratchFolder(), keys: keys.slice(0, 2), hold: true };
    const [one, two] = [start(order), start(order)];
    const slots = (await Promise.all([one.said, two.said])).map((said) => said.slots[0]);
    expect([...slots].sort()).toEqual([1, 2]);
    const late = start({ ...order, hold: false, maxWaitMs: 300 });
    expect((await late.said).statuses).toEqual([429]);
    const dying = once(one.process, 'exit');
    one.process.kill('SIGKILL');
    await dying;
    const next = start({ ...order, hold: false });
    expect((await next.said).slots).toEqual([slots[0]]);
  });

  it('are never held twice, however many come at once', async () => {
    let most = 0;
    const held = new Map<string, number>();
    const { url } = await upstreamServer(async (response, { headers }) => {
      const key = String(headers['x-api-key']);
      held.set(key, (held.get(key) ?? 0) + 1);
      most = Math.max(most, held.get(key) ?? 0);
      await new Promise((resolve) => setTimeout(resolve, 30));
      held.set(key, (held.get(key) ?? 0) - 1);
      json(response);
    });
    const start = await workerProgram();
    const order = { url, folder: scratchFolder(), keys: keys.slice(0, 2), requests: 3 };
    const said = await Promise.all([1, 2, 3, 4].map(() => start(order).said));
    expect(said.flatMap(({ statuses }) => statuses)).toEqual(Array(12).fill(200));
    expect(most).toBe(1);
  });

  it('of a process with a later one\u2019s id, or of another start of the machine, hold nothing back', async () => {
    const folder = scratchFolder();
    const { url } = await upstreamServer((response) => json(response));
    const access = await openAccess(url, { keys: keys.slice(0, 2), machineFolder: folder });
    const grant = await access.slots.current();
    await access.slots.release();
    if (grant.kind !== 'slot') throw new Error('no slot');
    const name = (owner: object) =>
      `slot.${grant.slot.credential.name}.${ownerName({ ...thisOwner(), ...owner })}`;
    writeFileSync(join(folder, name({ start: 1 })), '{}');
    const other = name({ pid: 1, place: 'deadbeef-1' });
    writeFileSync(join(folder, other), '{}');
    // It cannot be looked up, and was there a moment ago: it counts as held.
    expect((await access.slots.current()).kind === 'slot' && (await access.slots.current())).toMatchObject({
      slot: { number: 2 },
    });
    await access.slots.release();
    utimesSync(join(folder, other), new Date(Date.now() - 300_000), new Date(Date.now() - 300_000));
    expect(await access.slots.current()).toMatchObject({ slot: { number: 1 } });
    expect(readdirSync(folder).filter((one) => one.startsWith('slot.'))).toEqual([name({})]);
  });

  it('that are refused are left, visibly, and the agent notices nothing', async () => {
    const { post, events, stops, gateway, lines, seen } = await openGateway(
      byKey({
        'sk-key-one': (response) => json(response, refused, 401),
        'sk-key-two': (response) =>
          json(
            response,
            apiError('invalid_request_error', 'Your credit balance is too low to access the API.'),
            400,
          ),
      }),
      { keys, machineFolder: scratchFolder() },
    );
    expect((await post()).status).toBe(200);
    expect((await post()).status).toBe(200);
    expect(events.filter(({ type }) => type === 'slot-lost')).toEqual([
      { type: 'slot-lost', slot: 1, left: 2, of: 3, why: 'invalid-api-key', until: null },
      { type: 'slot-lost', slot: 2, left: 1, of: 3, why: 'billing', until: null },
    ]);
    expect(gateway.slots).toEqual({ usable: 1, of: 3 });
    expect(stops).toEqual([]);
    await expect.poll(() => lines.map(({ slot }) => slot)).toEqual([3, 3]);
    expect(seen.length).toBe(4);
  });

  it('that are all used up end the run with the time of the first to come back', async () => {
    const { post, stops, gateway } = await openGateway(
      byKey({ 'sk-key-one': usageLimit('2126-05-02'), 'sk-key-two': usageLimit('2126-05-01') }),
      { keys: keys.slice(0, 2) },
    );
    // So far away that it is bounded: the earliest that anybody may believe.
    expect((await post()).status).toBe(400);
    expect(stops.length).toBe(1);
    expect(stops[0]?.reason).toBe('usage-limit');
    expect(gateway.slots.usable).toBe(0);
    const again = await post();
    expect(again.status).toBe(400);
  });

  it.each([
    [3, 2],
    [2, 3],
  ])('that come back in %i and %i days say when the first does', async (first, second) => {
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    const { post, stops } = await openGateway(
      byKey({ 'sk-key-one': usageLimit(day(first)), 'sk-key-two': usageLimit(day(second)) }),
      { keys: keys.slice(0, 2), machineFolder: scratchFolder() },
    );
    const answer = await post();
    // The agent is told in words that it, and the outcome table, know.
    expect(await answer.json()).toMatchObject({
      error: { message: expect.stringContaining('regain access on') },
    });
    expect(stops).toEqual([{ reason: 'usage-limit', resetsAt: `${day(2)}T00:00:00.000Z` }]);
  });

  it('that another process found refused are not tried again', async () => {
    const { url, seen } = await upstreamServer(
      byKey({ 'sk-key-one': (response) => json(response, refused, 401) }),
    );
    const folder = scratchFolder();
    const first = await openOn(await openAccess(url, { keys, machineFolder: folder }));
    expect((await first.post()).status).toBe(200);
    const start = await workerProgram();
    const said = await start({ url, folder, keys }).said;
    expect(said.slots).toEqual([3]);
    expect(seen.filter(({ headers }) => headers['x-api-key'] === 'sk-key-one').length).toBe(1);
  });

  it('a 403 for one thing leaves a key that works in use', async () => {
    let forbid = false;
    const { post, events, stops } = await openGateway((response) =>
      forbid ? json(response, apiError('permission_error', 'not this model'), 403) : json(response),
    );
    await (await post()).text();
    forbid = true;
    expect((await post()).status).toBe(403);
    forbid = false;
    expect((await post()).status).toBe(200);
    expect([events.filter(({ type }) => type === 'slot-lost'), stops]).toEqual([[], []]);
  });

  it('a single key is shared: nobody waits for it', async () => {
    const { url } = await upstreamServer((response) => json(response));
    const start = await workerProgram();
    const order = { url, folder: scratchFolder(), keys: ['sk-key-one'], hold: true };
    const said = await Promise.all([start(order).said, start(order).said]);
    expect(said.map(({ statuses }) => statuses)).toEqual([[200], [200]]);
  });
});
