import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observeBlockedBy } from '../../../../src/github/observe/blocked-by.ts';
import { observeCommands } from '../../../../src/github/observe/commands.ts';
import { observeEditors } from '../../../../src/github/observe/editors.ts';
import { mayWrite, withPermission } from '../../../../src/github/observe/permission.ts';
import { at, type LocalWorld, openGitHub, type Person } from '../local-world.ts';

let world: LocalWorld;
let ada: Person;
let bob: Person;
let eve: Person;

beforeAll(async () => {
  world = await openGitHub();
  ada = world.person('ada');
  bob = world.person('bob', 'write');
  eve = world.person('eve');
});
afterAll(() => world.close());

describe('mayWrite', () => {
  it.each([
    ['the owner', 'ada', true],
    ['a writer', 'bob', true],
    ['somebody from outside', 'eve', false],
    ['nobody', 'no-such-account', false],
    ['an app', 'ccd[bot]', false],
  ])('reads it of %s', async (_, login, expected) => {
    expect(await mayWrite(world.client, world.name, login)).toBe(expected);
  });

  it('is false for those who may only read', async () => {
    world.person('rea', 'read');
    expect(await mayWrite(world.client, world.name, 'rea')).toBe(false);
  });

  it('is put on an actor', async () => {
    const actor = { id: bob.user.id, login: 'bob', kind: 'user', mayWrite: null } as const;
    expect(await withPermission(world.client, world.name, actor)).toEqual({ ...actor, mayWrite: true });
  });
});

describe('observeEditors', () => {
  it('names everybody who changed body or title, and nobody else', async () => {
    const { data: issue } = await ada.octokit.issues.create({ ...at(world), title: 'a', body: 'first' });
    expect(await observeEditors(world.client, world.name, issue.number)).toEqual([]);
    const cid = world.person('cid', 'write');
    const update = (person: Person, change: object) =>
      person.octokit.issues.update({ ...at(world), issue_number: issue.number, ...change });
    await update(bob, { title: 'b' });
    await update(cid, { labels: ['bug'] });
    expect(await observeEditors(world.client, world.name, issue.number)).toEqual([bob.user.id]);
    await update(cid, { body: 'second' });
    const editors = await observeEditors(world.client, world.name, issue.number);
    expect(editors.sort()).toEqual([ada.user.id, bob.user.id, cid.user.id].sort());
  });

  it('reads all pages', async () => {
    const { data: issue } = await ada.octokit.issues.create({ ...at(world), title: 'p', body: '0' });
    const change = (person: Person, body: string) =>
      person.octokit.issues.update({ ...at(world), issue_number: issue.number, body });
    await change(bob, 'bob');
    for (let turn = 0; turn < 101; turn += 1) await change(ada, String(turn));
    expect(await observeEditors(world.client, world.name, issue.number)).toContain(bob.user.id);
  });
});

describe('observeBlockedBy', () => {
  it('lists the numbers of what blocks an issue', async () => {
    const make = async (title: string) => (await ada.octokit.issues.create({ ...at(world), title })).data;
    const [first, second, last] = [await make('a'), await make('b'), await make('c')];
    for (const blocker of [second, first]) {
      await ada.octokit.request('POST /repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by', {
        ...at(world),
        issue_number: last.number,
        issue_id: blocker.id,
      });
    }
    expect(await observeBlockedBy(world.client, world.name, last.number)).toEqual([
      first.number,
      second.number,
    ]);
    expect(await observeBlockedBy(world.client, world.name, first.number)).toEqual([]);
  });
});

describe('observeCommands', () => {
  it('shows comments that begin with /ccd, by whom, and whether they were edited', async () => {
    const { data: issue } = await ada.octokit.issues.create({ ...at(world), title: 'talk' });
    const target = { ...at(world), issue_number: issue.number };
    const say = async (person: Person, body: string) =>
      (await person.octokit.issues.createComment({ ...target, body })).data.id;
    await say(eve, 'I would say /ccd pause');
    await say(eve, '/ccdx');
    const pause = await say(eve, '/ccd pause');
    const bare = await say(bob, '/ccd');
    const { commands, seenUntil } = await observeCommands(world.client, world.name, null, world.app.botId);
    expect(commands).toMatchObject([
      {
        commentId: pause,
        number: issue.number,
        onPull: false,
        edited: false,
        body: '/ccd pause',
        actor: { login: 'eve' },
      },
      { commentId: bare, actor: { id: bob.user.id } },
    ]);
    expect(seenUntil).not.toBeNull();
    expect(
      (await observeCommands(world.client, world.name, '2099-01-01T00:00:00Z', world.app.botId)).commands,
    ).toEqual([]);
  });

  it('reads very many by parts: the scan from where one ended goes on with the rest', async () => {
    const { data: issue } = await ada.octokit.issues.create({ ...at(world), title: 'long talk' });
    const target = { ...at(world), issue_number: issue.number };
    for (let said = 0; said < 101; said += 1)
      await ada.octokit.issues.createComment({ ...target, body: `${said}` });
    const { data: last } = await eve.octokit.issues.createComment({ ...target, body: '/ccd hold' });
    const comments = [...world.repo.issues.values()].flatMap((one) => one.comments);
    // As over a month: no two in one second.
    const start = Math.max(...comments.map(({ createdAt }) => createdAt));
    comments.sort((one, other) => one.id - other.id);
    for (const [index, comment] of comments.entries()) {
      const time = start + index * 1000;
      Object.assign(comment, { createdAt: time, updatedAt: time });
    }
    const scan = (since: string | null) =>
      observeCommands(world.client, world.name, since, world.app.botId, 1);
    const holds = ({ commands }: { commands: readonly { commentId: number }[] }) =>
      commands.some(({ commentId }) => commentId === last.id);
    const first = await scan(null);
    expect(holds(first)).toBe(false);
    expect(holds(await scan(first.seenUntil))).toBe(true);
  });

  it('marks one that was edited', async () => {
    const { data: issue } = await ada.octokit.issues.create({ ...at(world), title: 'edit' });
    const { data: comment } = await eve.octokit.issues.createComment({
      ...at(world),
      issue_number: issue.number,
      body: 'harmless',
    });
    // Times have seconds: the edit has to fall into another one.
    const record = world.repo.issues.get(issue.number)?.comments.at(-1);
    if (record === undefined) throw new Error('no comment');
    Object.assign(record, { createdAt: record.createdAt - 5000 });
    await eve.octokit.issues.updateComment({ ...at(world), comment_id: comment.id, body: '/ccd resume' });
    const { commands } = await observeCommands(world.client, world.name, null, world.app.botId);
    expect(commands.find((command) => command.commentId === comment.id)).toMatchObject({ edited: true });
  });
});
