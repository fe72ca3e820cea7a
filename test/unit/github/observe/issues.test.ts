import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIssue } from '../../../../src/github/apply/create-issue.ts';
import { mayHaveNewRequests, observeIssues } from '../../../../src/github/observe/issues.ts';
import type { IssueWithLabelEvents } from '../../../../src/github/schema/issue.ts';
import { bodyDigest } from '../../../../src/spec/digest.ts';
import { at, type LocalWorld, openGitHub, type Person } from '../local-world.ts';

const label = 'ccd:dispatch';
let world: LocalWorld;
let ada: Person;

beforeAll(async () => {
  world = await openGitHub();
  ada = world.person('ada');
});
afterAll(() => world.close());

async function newIssue(title: string, body: string, labels: string[] = []): Promise<number> {
  const { data } = await ada.octokit.issues.create({ ...at(world), title, body, labels });
  return data.number;
}

const search = (numbers: number[], consumed = new Map<number, number[]>()) => ({
  numbers,
  dispatchLabel: label,
  consumed,
});

describe('observeIssues', () => {
  it('reads named issues and those that ask to be started, in one query and one read of events each', async () => {
    const plain = await newIssue('Überschrift', 'a\r\nb', ['bug']);
    const asking = await newIssue('asks', 'please', [label]);
    const before = world.client.counts().read;
    const { issues } = await observeIssues(world.client, world.name, search([plain]));
    expect(world.client.counts().read - before).toBe(2);
    expect(issues.get(plain)).toMatchObject({
      title: 'Überschrift',
      body: 'a\r\nb',
      bodyDigest: bodyDigest('Überschrift', 'a\r\nb'),
      open: true,
      stateReason: null,
      lastEditedAt: null,
      labels: ['bug'],
      requests: [],
      editors: null,
      askerMayWrite: null,
      blockedBy: null,
      author: { login: 'ada', id: ada.user.id, kind: 'user', mayWrite: null },
    });
    const requests = issues.get(asking)?.requests ?? [];
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ label, actor: { id: ada.user.id, login: 'ada' } });
  });

  it('gives the ids that REST knows', async () => {
    const number = await newIssue('ids', 'x', [label]);
    const { data } = await ada.octokit.issues.get({ ...at(world), issue_number: number });
    const { data: events } = await ada.octokit.issues.listEvents({ ...at(world), issue_number: number });
    const issue = (await observeIssues(world.client, world.name, search([]))).issues.get(number);
    expect(issue?.id).toBe(data.id);
    expect(issue?.nodeId).toBe(data.node_id);
    expect(issue?.requests.map((event) => event.eventId)).toEqual(
      events.filter((event) => event.event === 'labeled').map((event) => event.id),
    );
  });

  it('spares the read of events where all were consumed, and makes it again after a new one', async () => {
    const number = await newIssue('consumed', 'x', [label]);
    const first = (await observeIssues(world.client, world.name, search([number]))).issues.get(number);
    const consumed = new Map([[number, (first?.requests ?? []).map((event) => event.eventId)]]);
    const quiet = await observeIssues(world.client, world.name, search([number], consumed));
    expect(quiet.issues.get(number)?.requests).toEqual([]);
    const issue = { ...at(world), issue_number: number };
    await ada.octokit.issues.removeLabel({ ...issue, name: label });
    await ada.octokit.issues.addLabels({ ...issue, labels: [label] });
    const again = await observeIssues(world.client, world.name, search([number], consumed));
    expect(again.issues.get(number)?.requests).toHaveLength(2);
  });

  it('counts a new title as an edit, as the digest does', async () => {
    const number = await newIssue('old title', 'x', [label]);
    await ada.octokit.issues.update({ ...at(world), issue_number: number, title: 'new title' });
    const issue = (await observeIssues(world.client, world.name, search([number]))).issues.get(number);
    expect(issue?.title).toBe('new title');
    expect(issue?.lastEditedAt).not.toBeNull();
  });

  it('shows an edited body, a closed issue and its reason', async () => {
    const number = await newIssue('closed', 'before');
    const issue = { ...at(world), issue_number: number };
    await ada.octokit.issues.update({ ...issue, body: 'after' });
    await ada.octokit.issues.update({ ...issue, state: 'closed', state_reason: 'not_planned' });
    const { issues } = await observeIssues(world.client, world.name, search([number]));
    expect(issues.get(number)).toMatchObject({ body: 'after', open: false, stateReason: 'not_planned' });
    expect(issues.get(number)?.lastEditedAt).not.toBeNull();
  });

  it('names the app as REST does when it is the author', async () => {
    const made = await createIssue(world.client, world.name, { title: 'control', body: '' });
    if (made.kind !== 'done') throw new Error(made.kind);
    const { issues } = await observeIssues(world.client, world.name, search([made.number]));
    expect(issues.get(made.number)?.author).toMatchObject({
      id: world.app.botId,
      login: 'ccd[bot]',
      kind: 'app',
    });
  });

  it('leaves out numbers that are no issue', async () => {
    const { issues } = await observeIssues(world.client, world.name, search([99_999]));
    expect(issues.has(99_999)).toBe(false);
  });

  it('finds every issue that asks, page by page', async () => {
    const numbers: number[] = [];
    for (let index = 0; index < 55; index += 1)
      numbers.push(await newIssue(`many ${index}`, 'x', ['ccd:many']));
    const { issues } = await observeIssues(world.client, world.name, {
      numbers: numbers.slice(0, 45),
      dispatchLabel: 'ccd:many',
      consumed: new Map(),
    });
    expect(numbers.filter((number) => !issues.has(number))).toEqual([]);
  });

  it('fails by name when the repository is not there', async () => {
    const gone = { owner: 'ada', name: 'gone' };
    await expect(observeIssues(world.client, gone, search([]))).rejects.toMatchObject({
      code: 'github.not-found',
    });
  });
});

describe('mayHaveNewRequests', () => {
  const one = (labelled: string[]) => ({ issue: { number: 7 }, labelled }) as unknown as IssueWithLabelEvents;
  const consumed = (ids: number[] | null) => ({
    dispatchLabel: label,
    consumed: new Map(ids === null ? [] : [[7, ids]]),
  });

  it.each([
    ['no event', [], null, false],
    ['events of other labels', ['bug'], null, false],
    ['an event of an unknown issue', [label], null, true],
    ['as many events as were consumed', [label, 'bug'], [1], false],
    ['one more', [label, label], [1], true],
    ['the label in other case', ['CCD:dispatch'], null, true],
    ['a full window', Array.from({ length: 50 }, () => 'bug'), [], true],
  ])('sees %s', (_, labelled, ids, expected) => {
    expect(mayHaveNewRequests(one(labelled), consumed(ids))).toBe(expected);
  });
});
