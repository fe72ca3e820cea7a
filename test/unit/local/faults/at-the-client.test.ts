import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { FaultRecord } from '../../../../src/local/faults/fault-plan.ts';
import { FaultPlan } from '../../../../src/local/faults/fault-plan.ts';
import { type Play, playPlan, type Stage } from '../../../../src/local/faults/play-plan.ts';
import { type LocalWorld, openWorld } from '../../../contract/support/local-world.ts';

const r = { owner: 'acme', repo: 'demo' };
// Tokens of an app are signed by the machine's clock, so this GitHub's starts there.
const START = Date.now();
let world: LocalWorld;
let now = START;
let current: Play | null = null;

beforeAll(async () => {
  world = await openWorld({ now: () => now });
});
afterAll(() => world.close());
afterEach(async () => {
  current?.stop();
  await world.github.deliveries.idle();
  world.github.store.clockSkewMs = 0;
  world.hooks.splice(0);
});

function misbehave(rules: readonly object[], more: Partial<Stage> = {}): readonly FaultRecord[] {
  const { store, deliveries } = world.github;
  current = playPlan({ store, deliveries, ...more }, FaultPlan.parse({ seed: 7, rules }));
  return current.records;
}

const create = (title: string) => world.asWriter.rest.issues.create({ ...r, title });
const titles = async () =>
  (await world.asWriter.rest.issues.listForRepo({ ...r, state: 'all', per_page: 100 })).data.map(
    (issue) => issue.title,
  );
const status = (call: Promise<{ status: number }>): Promise<number> =>
  call.then(
    (answer) => answer.status,
    (fault: { status: number }) => fault.status,
  );
const heard = () =>
  world.hooks.map((hook) => (JSON.parse(hook.body) as { issue?: { title: string } }).issue?.title);

it('error-before answers 5xx and does nothing; error-after has done it', async () => {
  const records = misbehave([{ kind: 'error-before', on: 'issues/create', calls: [1], status: 503 }]);
  expect(await status(create('never'))).toBe(503);
  expect(await status(create('once'))).toBe(201);
  expect(records.map(({ kind, on, by, nth }) => ({ kind, on, by, nth }))).toEqual([
    { kind: 'error-before', on: 'issues/create', by: 'user:wendy', nth: 1 },
  ]);
  current!.stop();
  misbehave([{ kind: 'error-after', on: 'issues/create', times: 1 }]);
  expect(await status(create('done all the same'))).toBeGreaterThanOrEqual(500);
  expect(await titles()).toEqual(expect.arrayContaining(['once', 'done all the same']));
  expect(await titles()).not.toContain('never');
});

it('false-conflict answers 409 to a write and leaves reads alone', async () => {
  misbehave([{ kind: 'false-conflict' }]);
  expect(await status(create('conflicting'))).toBe(409);
  expect(await titles()).not.toContain('conflicting');
});

it('primary-limit and secondary-limit look as they do at GitHub', async () => {
  misbehave([{ kind: 'primary-limit', on: 'issues/*', calls: [1] }]);
  const primary = await create('x').catch((fault) => fault);
  expect([primary.status, primary.response.headers['x-ratelimit-remaining']]).toEqual([403, '0']);
  expect(Number(primary.response.headers['x-ratelimit-reset']) * 1000).toBe(
    (Math.floor(START / 3_600_000) + 1) * 3_600_000,
  );
  current!.stop();
  misbehave([{ kind: 'secondary-limit', on: 'issues/*', times: 1, retryAfter: 17 }]);
  const secondary = await create('x').catch((fault) => fault);
  expect([403, 429]).toContain(secondary.status);
  expect(secondary.response.headers['retry-after']).toBe('17');
  expect(secondary.message).toMatch(/secondary rate limit/);
  current!.stop();
  misbehave([{ kind: 'secondary-limit', on: 'issues/*', times: 1, retryAfter: null }]);
  const silent = await create('x').catch((fault) => fault);
  expect(silent.response.headers).not.toHaveProperty('retry-after');
});

it('slow answers late, and rightly', async () => {
  misbehave([{ kind: 'slow', on: 'issues/create', ms: 150 }]);
  const started = performance.now();
  expect(await status(create('slow'))).toBe(201);
  expect(performance.now() - started).toBeGreaterThan(140);
});

it.each(['reset-before', 'reset-after', 'client-crash-before', 'client-crash-after'])(
  '%s tears the connection on that side of the effect',
  async (kind) => {
    const crashed: FaultRecord[] = [];
    misbehave([{ kind, on: 'issues/create', calls: [1] }], { crashClient: (one) => crashed.push(one) });
    const call = create(kind);
    await expect(call).rejects.toMatchObject({
      status: 500,
      message: expect.stringMatching(/ECONNRESET|fetch failed|other side/),
    });
    expect(await titles().then((all) => all.includes(kind))).toBe(kind.endsWith('after'));
    expect(crashed.map((one) => one.kind)).toEqual(kind.startsWith('client') ? [kind] : []);
  },
);

it('reset-before on git.push moves nothing, and the push says so', async () => {
  // Every try: the transport of git repeats a request whose kept connection was torn.
  misbehave([{ kind: 'reset-before', on: 'git.push' }]);
  const remote = world.remote(world.tokens.writer);
  await world.sh(`git clone -q ${remote} torn && cd torn && git commit -q --allow-empty -m more`);
  const push = await world.sh('git push -q origin HEAD:refs/heads/torn', 'torn');
  expect(push.code).not.toBe(0);
  expect(await world.repo.git.ref('refs/heads/torn')).toBeNull();
  current!.stop();
  expect((await world.sh('git push -q origin HEAD:refs/heads/torn', 'torn')).code).toBe(0);
});

it('stale-read answers as before for a while, to lists, to what is new, and to queries', async () => {
  now += 10_000;
  const before = await titles();
  const query = () =>
    world.asWriter.graphql<{ repository: { issues: { totalCount: number } } }>(
      'query { repository(owner: "acme", name: "demo") { issues(first: 1) { totalCount } } }',
    );
  misbehave([{ kind: 'stale-read', ms: 5_000 }]);
  const counted = (await query()).repository.issues.totalCount;
  const { data } = await create('fresh');
  const read = { ...r, issue_number: data.number };
  expect(await status(world.asWriter.rest.issues.get(read))).toBe(404);
  expect(await titles()).toEqual(before);
  expect((await query()).repository.issues.totalCount).toBe(counted);
  now += 6_000;
  expect(await status(world.asWriter.rest.issues.get(read))).toBe(200);
  expect(await titles()).toContain('fresh');
  expect((await query()).repository.issues.totalCount).toBe(counted + 1);
  await world.asWriter.rest.issues.update({ ...read, title: 'renamed' });
  expect((await world.asWriter.rest.issues.get(read)).data.title).toBe('fresh');
  now += 6_000;
  expect((await world.asWriter.rest.issues.get(read)).data.title).toBe('renamed');
});

it('webhook faults lose, repeat, reorder and delay deliveries', async () => {
  misbehave([
    { kind: 'webhook-lost', on: 'issues.opened', calls: [1] },
    { kind: 'webhook-repeated', on: 'issues.opened', calls: [1] },
    { kind: 'webhook-reordered', on: 'issues.opened', calls: [2] },
  ]);
  for (const title of ['lost', 'doubled', 'held', 'next']) await create(title);
  await world.github.deliveries.idle();
  expect(heard()).toEqual(['doubled', 'doubled', 'next', 'held']);
  expect(new Set(world.hooks.map((hook) => hook.guid)).size).toBe(3);
  current!.stop();
  world.hooks.splice(0);
  misbehave([{ kind: 'webhook-late', on: 'issues.opened', calls: [1], ms: 200 }]);
  await create('late');
  await create('in time');
  await world.github.deliveries.idle();
  expect(heard()).toEqual(['in time', 'late']);
});

it('clock-jump moves the clock of GitHub, and tokens age with it', async () => {
  const { data: minted } = await world.asJwt.rest.apps.createInstallationAccessToken({
    installation_id: world.installation.id,
  });
  const limited = world.as(minted.token);
  expect(await status(limited.rest.issues.listForRepo(r))).toBe(200);
  misbehave([{ kind: 'clock-jump', on: 'issues/create', calls: [1], ms: 2 * 3_600_000 }]);
  const { data, headers } = await create('in two hours');
  expect(Math.abs(Date.parse(headers.date!) - now - 2 * 3_600_000)).toBeLessThan(1_000);
  expect(Math.abs(Date.parse(data.created_at) - now - 2 * 3_600_000)).toBeLessThan(1_000);
  expect(await status(limited.rest.issues.listForRepo(r))).toBe(401);
});

it('an administrator rolls a branch back or deletes it, past every rule', async () => {
  const remote = world.remote(world.tokens.writer);
  const made = await world.sh(
    `git clone -q ${remote} adm && cd adm && git checkout -q -b kept && git commit -q --allow-empty -m one && git push -q origin kept && git rev-parse HEAD^`,
  );
  expect(made.code).toBe(0);
  await world.asOwner.rest.repos.createRepoRuleset({
    ...r,
    name: 'nobody moves kept',
    enforcement: 'active',
    target: 'branch',
    conditions: { ref_name: { include: ['refs/heads/kept'], exclude: [] } },
    rules: [{ type: 'deletion' }, { type: 'non_fast_forward' }],
  });
  const where = { repository: 'acme/demo', ref: 'refs/heads/kept' };
  const records = misbehave([
    { kind: 'admin-rolls-back', on: 'issues/create', calls: [1], ...where },
    { kind: 'admin-deletes-branch', on: 'issues/create', calls: [2], ...where },
  ]);
  await create('first');
  expect(await world.repo.git.ref('refs/heads/kept')).toBe(made.out.trim());
  await create('second');
  expect(await world.repo.git.ref('refs/heads/kept')).toBeNull();
  expect(records.map((one) => one.kind)).toEqual(['admin-rolls-back', 'admin-deletes-branch']);
});

it('plays exactly what was recorded, again', async () => {
  const rules = [{ kind: 'error-before', on: 'issues/create', chance: 0.5, status: 502 }];
  const outcomes = async () => {
    const seen: number[] = [];
    for (let index = 0; index < 12; index += 1) seen.push(await status(create(`n${index}`)));
    return seen;
  };
  const records = misbehave(rules);
  const first = await outcomes();
  expect(new Set(first)).toEqual(new Set([201, 502]));
  current!.stop();
  const { store, deliveries } = world.github;
  current = playPlan({ store, deliveries }, FaultPlan.parse({ seed: 'other', rules }), records);
  expect(await outcomes()).toEqual(first);
});
