import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeIssue } from '../../../../src/github/apply/close-issue.ts';
import { createComment } from '../../../../src/github/apply/create-comment.ts';
import { createIssue } from '../../../../src/github/apply/create-issue.ts';
import { ensureLabel } from '../../../../src/github/apply/ensure-label.ts';
import { removeLabel } from '../../../../src/github/apply/remove-label.ts';
import { setLabels } from '../../../../src/github/apply/set-labels.ts';
import { updateComment } from '../../../../src/github/apply/update-comment.ts';
import { updateIssue } from '../../../../src/github/apply/update-issue.ts';
import { findMarked, observeComment } from '../../../../src/github/observe/comments.ts';
import { at, type LocalWorld, openGitHub, type Person } from '../local-world.ts';

let world: LocalWorld;
let ada: Person;

beforeAll(async () => {
  world = await openGitHub();
  ada = world.person('ada');
});
afterAll(() => world.close());

async function newIssue(): Promise<number> {
  const made = await createIssue(world.client, world.name, { title: 'a', body: 'b', labels: ['x'] });
  if (made.kind !== 'done') throw new Error(JSON.stringify(made));
  return made.number;
}

async function labelsOf(number: number): Promise<string[]> {
  const { data } = await ada.octokit.issues.listLabelsOnIssue({ ...at(world), issue_number: number });
  return data.map((label) => label.name).sort();
}

describe('comments', () => {
  it('are made, read, rewritten, and missed when they were deleted', async () => {
    const number = await newIssue();
    const made = await createComment(world.client, world.name, { number, body: 'first' });
    if (made.kind !== 'done') throw new Error(JSON.stringify(made));
    expect(await updateComment(world.client, world.name, { id: made.id, body: 'second' })).toEqual({
      kind: 'done',
    });
    expect(await observeComment(world.client, world.name, made.id)).toEqual({
      id: made.id,
      number,
      body: 'second',
    });
    await ada.octokit.issues.deleteComment({ ...at(world), comment_id: made.id });
    expect(await observeComment(world.client, world.name, made.id)).toBeNull();
    expect(await updateComment(world.client, world.name, { id: made.id, body: 'x' })).toMatchObject({
      kind: 'refused',
      reason: 'not-found',
    });
  });

  it('are found by a marker only where the app wrote them', async () => {
    const number = await newIssue();
    const marker = '<!-- ccd:status -->';
    const search = { marker, botId: world.app.botId };
    await ada.octokit.issues.createComment({ ...at(world), issue_number: number, body: `${marker} forged` });
    expect(await findMarked(world.client, world.name, number, search)).toBeNull();
    const made = await createComment(world.client, world.name, { number, body: `${marker} ours` });
    await createComment(world.client, world.name, { number, body: `${marker} again` });
    expect(await findMarked(world.client, world.name, number, search)).toEqual({
      id: made.kind === 'done' ? made.id : 0,
      number,
      body: `${marker} ours`,
    });
  });

  it('are unclear when the answer was lost after the effect, and then to be found', async () => {
    const number = await newIssue();
    const heal = world.github.store.faults.after('issues/create-comment', () => ({ status: 502 }));
    const lost = await createComment(world.client, world.name, { number, body: '<!-- m --> x' });
    heal();
    expect(lost.kind).toBe('unclear');
    const search = { marker: '<!-- m -->', botId: world.app.botId };
    expect(await findMarked(world.client, world.name, number, search)).toMatchObject({ number });
  });

  it('are told to wait by a secondary limit', async () => {
    const number = await newIssue();
    const heal = world.github.store.faults.before('issues/create-comment', () => ({
      status: 403,
      headers: { 'retry-after': '60' },
      body: { message: 'You have exceeded a secondary rate limit' },
    }));
    const before = Date.now();
    const outcome = await createComment(world.client, world.name, { number, body: 'x' });
    heal();
    expect(outcome.kind).toBe('rate-limited');
    expect(outcome.kind === 'rate-limited' && outcome.retryAtMs - before).toBeGreaterThanOrEqual(60_000);
  });

  it('that are too long are refused whole', async () => {
    const number = await newIssue();
    const outcome = await createComment(world.client, world.name, { number, body: 'x'.repeat(300_000) });
    expect(outcome).toMatchObject({ kind: 'refused', reason: 'unprocessable' });
  });
});

describe('labels', () => {
  it('are made once', async () => {
    const label = { name: 'ccd:new', color: '0e8a16', description: 'new' };
    expect(await ensureLabel(world.client, world.name, label)).toEqual({ kind: 'done' });
    expect(await ensureLabel(world.client, world.name, label)).toEqual({ kind: 'exists' });
  });

  it('are added and removed, others stay, and a second time nothing changes', async () => {
    const number = await newIssue();
    const change = {
      number,
      add: ['ccd:queued'],
      remove: ['ccd:running'],
      definitions: [{ name: 'ccd:queued', color: 'fbca04', description: 'In the merge queue' }],
    };
    expect(await setLabels(world.client, world.name, { number, add: ['ccd:running'], remove: [] })).toEqual({
      kind: 'done',
    });
    expect(await setLabels(world.client, world.name, change)).toEqual({ kind: 'done' });
    expect(await setLabels(world.client, world.name, change)).toEqual({ kind: 'done' });
    expect(await labelsOf(number)).toEqual(['ccd:queued', 'x']);
    const { data } = await ada.octokit.issues.getLabel({ ...at(world), name: 'ccd:queued' });
    expect(data.color).toBe('fbca04');
    expect(await setLabels(world.client, world.name, { number, add: [], remove: [] })).toEqual({
      kind: 'exists',
    });
  });

  it('are taken off once', async () => {
    const number = await newIssue();
    expect(await removeLabel(world.client, world.name, { number, name: 'x' })).toEqual({ kind: 'done' });
    expect(await removeLabel(world.client, world.name, { number, name: 'x' })).toEqual({ kind: 'exists' });
  });
});

describe('issues', () => {
  it('are rewritten, and closed with the reason, twice without harm', async () => {
    const number = await newIssue();
    expect(await updateIssue(world.client, world.name, { number, body: 'report' })).toEqual({ kind: 'done' });
    expect(await closeIssue(world.client, world.name, { number, as: 'completed' })).toEqual({ kind: 'done' });
    expect(await closeIssue(world.client, world.name, { number, as: 'completed' })).toEqual({ kind: 'done' });
    const { data } = await ada.octokit.issues.get({ ...at(world), issue_number: number });
    expect(data).toMatchObject({ body: 'report', state: 'closed', state_reason: 'completed' });
  });
});
