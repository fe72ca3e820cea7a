import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPull } from '../../../../src/github/apply/create-pull.ts';
import { markReady } from '../../../../src/github/apply/mark-ready.ts';
import { updatePull } from '../../../../src/github/apply/update-pull.ts';
import { findPullByHead, observePull } from '../../../../src/github/observe/pulls.ts';
import { pullSchema } from '../../../../src/github/schema/pull.ts';
import { at, type LocalWorld, openGitHub } from '../local-world.ts';

let world: LocalWorld;

beforeAll(async () => {
  world = await openGitHub();
});
afterAll(() => world.close());

async function open(branch: string, draft = true) {
  const head = await world.push({ [`${branch}.txt`]: 'x\n' }, { branch });
  const made = await createPull(world.client, world.name, {
    head: branch,
    base: 'main',
    title: `Task ${branch}`,
    body: 'Body',
    draft,
  });
  if (made.kind !== 'done') throw new Error(JSON.stringify(made));
  return { ...made, oid: head };
}

it('opens a draft and reads it back as it was opened', async () => {
  const made = await open('ccd/task/1');
  expect(made.draft).toBe(true);
  expect(await observePull(world.client, world.name, made.number)).toEqual({
    number: made.number,
    id: made.id,
    nodeId: made.nodeId,
    open: true,
    merged: false,
    draft: true,
    head: made.oid,
    headRef: 'ccd/task/1',
    base: 'main',
    body: 'Body',
    author: { id: world.app.botId, login: 'ccd[bot]', kind: 'app', mayWrite: null },
    reviews: [],
  });
});

it('says that one is open already, and finds it by its head', async () => {
  const made = await open('ccd/task/2');
  const again = { head: 'ccd/task/2', base: 'main', title: 'again', body: '', draft: true };
  expect(await createPull(world.client, world.name, again)).toEqual({ kind: 'exists' });
  expect(
    await findPullByHead(world.client, world.name, { branch: 'ccd/task/2', base: 'main' }),
  ).toMatchObject({ number: made.number });
  expect(
    await findPullByHead(world.client, world.name, { branch: 'ccd/task/none', base: 'main' }),
  ).toBeNull();
});

it('finds the one to the base that was asked for, not a newer one that somebody opened to another', async () => {
  await world.push({}, { branch: 'release' });
  const made = await open('ccd/task/8');
  const eve = world.person('eve');
  await eve.octokit.pulls.create({ ...at(world), head: 'ccd/task/8', base: 'release', title: 'other' });
  const search = { branch: 'ccd/task/8', base: 'main' };
  expect(await findPullByHead(world.client, world.name, search)).toMatchObject({ number: made.number });
});

it('refuses a branch without commits of its own', async () => {
  await world.push({}, { branch: 'base-copy' });
  const empty = { head: 'main', base: 'base-copy', title: 'empty', body: '', draft: true };
  expect(await createPull(world.client, world.name, empty)).toMatchObject({
    kind: 'refused',
    reason: 'no-commits',
  });
});

it('ends the draft state, twice without harm', async () => {
  const made = await open('ccd/task/3');
  expect(await markReady(world.client, made.nodeId)).toEqual({ kind: 'done', draft: false });
  expect(await markReady(world.client, made.nodeId)).toMatchObject({ kind: 'done' });
  expect(await observePull(world.client, world.name, made.number)).toMatchObject({ draft: false });
});

it('rewrites and closes', async () => {
  const made = await open('ccd/task/4');
  expect(
    await updatePull(world.client, world.name, { number: made.number, body: 'New', state: 'closed' }),
  ).toEqual({
    kind: 'done',
  });
  expect(await observePull(world.client, world.name, made.number)).toMatchObject({
    body: 'New',
    open: false,
  });
});

it('prefers the open one among several of one head', async () => {
  const first = await open('ccd/task/5');
  await updatePull(world.client, world.name, { number: first.number, state: 'closed' });
  const second = await open('ccd/task/5');
  await updatePull(world.client, world.name, { number: second.number, state: 'closed' });
  await updatePull(world.client, world.name, { number: first.number, state: 'open' });
  expect(
    await findPullByHead(world.client, world.name, { branch: 'ccd/task/5', base: 'main' }),
  ).toMatchObject({
    number: first.number,
  });
});

it('reads reviews with their commit and author', async () => {
  const made = await open('ccd/task/6', false);
  const bob = world.person('bob', 'write');
  await bob.octokit.pulls.createReview({ ...at(world), pull_number: made.number, event: 'APPROVE' });
  await bob.octokit.pulls.createReview({
    ...at(world),
    pull_number: made.number,
    event: 'REQUEST_CHANGES',
    body: 'no',
  });
  expect((await observePull(world.client, world.name, made.number))?.reviews).toMatchObject([
    { state: 'approved', commit: made.oid, actor: { login: 'bob', mayWrite: null } },
    { state: 'changes_requested', commit: made.oid },
  ]);
});

it('is null for what is no pull request', async () => {
  expect(await observePull(world.client, world.name, 99_999)).toBeNull();
});

it("never takes a fork's branch for ours", () => {
  const side = (label: string, repo: number | null) => ({
    ref: 'ccd/task/1',
    label,
    sha: 'a'.repeat(40),
    repo: repo === null ? null : { id: repo },
  });
  const pull = (head: object) =>
    pullSchema.parse({
      id: 1,
      node_id: 'PR_1',
      number: 1,
      state: 'open',
      head,
      base: side('ada:main', 1),
      body: null,
      user: null,
    });
  expect(pull(side('ada:ccd/task/1', 1)).headRef).toBe('ccd/task/1');
  expect(pull(side('eve:ccd/task/1', 2)).headRef).toBe('eve:ccd/task/1');
  expect(pull(side('ccd/task/1', null)).headRef).toBe('unknown:ccd/task/1');
  expect(pull(side('ada:ccd/task/1', 1)).author.login).toBe('ghost');
});
