import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CliIo } from '../../../src/cli/command.ts';
import { type FaultFlags, playFaults, readFaultOrders } from '../../../src/cli/local/fault-orders.ts';
import { type LocalWorld, openWorld } from '../../contract/support/local-world.ts';

let dir = '';
let world: LocalWorld;
const said: string[] = [];
let io: CliIo;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ccd-orders-'));
  world = await openWorld();
  io = { cwd: dir, stderr: (text: string) => void said.push(text) } as CliIo;
  const rules = [{ kind: 'error-before', on: 'issues/create', chance: 0.5, status: 502 }];
  await writeFile(join(dir, 'plan.json'), JSON.stringify({ seed: 3, rules }));
});
afterAll(async () => {
  await world.close();
  await rm(dir, { recursive: true, force: true });
});

/** Creates ten issues under a plan and answers the statuses. */
async function play(flags: FaultFlags): Promise<number[]> {
  const { store, deliveries } = world.github;
  const orders = await readFaultOrders(flags, io);
  const going = playFaults(orders!, { store, deliveries }, io);
  const statuses: number[] = [];
  for (let index = 0; index < 10; index += 1)
    statuses.push(
      await world.asWriter.rest.issues.create({ owner: 'acme', repo: 'demo', title: `n${index}` }).then(
        ({ status }) => status,
        ({ status }: { status: number }) => status,
      ),
    );
  going.stop();
  return statuses;
}

it('plays a plan, notes each strike, and plays the record again', async () => {
  const first = await play({ faults: 'plan.json', record: 'record.ndjson' });
  expect(new Set(first)).toEqual(new Set([201, 502]));
  const lines = (await readFile(join(dir, 'record.ndjson'), 'utf8')).trim().split('\n');
  expect(lines).toHaveLength(first.filter((status) => status === 502).length);
  expect(
    said.filter((line) => line.startsWith('fault: error-before on issues/create by user:wendy')),
  ).toHaveLength(lines.length);
  await writeFile(
    join(dir, 'other.json'),
    (await readFile(join(dir, 'plan.json'), 'utf8')).replace('3', '99'),
  );
  expect(await play({ faults: 'other.json', replay: 'record.ndjson' })).toEqual(first);
});

it.each<[string, FaultFlags, string]>([
  ['a record without a plan', { record: 'x' }, '--record and --replay need a plan.'],
  ['a plan that is not there', { faults: 'none.json' }, 'none.json cannot be read (ENOENT).'],
  ['a plan that is no JSON', { faults: 'torn.json' }, 'torn.json is no JSON.'],
  ['an unknown kind', { faults: 'odd.json' }, 'odd.json is no fault plan or record at rules.0.kind'],
  [
    'a record that holds something else',
    { faults: 'plan.json', replay: 'plan.json' },
    'plan.json is no fault plan or record at 0',
  ],
  [
    'a record that is there already',
    { faults: 'plan.json', record: 'record.ndjson' },
    'record.ndjson is there already.',
  ],
])('refuses %s with a sentence', async (_, flags, sentence) => {
  await writeFile(join(dir, 'torn.json'), '{"seed":');
  await writeFile(join(dir, 'odd.json'), '{"seed":1,"rules":[{"kind":"flood"}]}');
  const fault = await readFaultOrders(flags, io).catch((error: { code: string; message: string }) => error);
  expect(fault).toMatchObject({
    code: expect.stringMatching(/usage/),
    message: expect.stringContaining(sentence),
  });
});

it('has nothing to do without flags', async () => {
  expect(await readFaultOrders({}, io)).toBeNull();
});
