import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalWorld, openWorld } from '../../contract/support/local-world.ts';

const r = { owner: 'acme', repo: 'demo' };
let world: LocalWorld;

beforeAll(async () => {
  world = await openWorld({ validate: 'throw' });
  await world.sh(`git clone -q "${world.remote(world.tokens.owner)}" w`);
});

afterAll(async () => {
  expect(world.github.contract!.violations).toEqual([]);
  await world.close();
});

async function branch(name: string, from = 'origin/main', path = `${name}.txt`): Promise<string> {
  const done = await world.sh(
    `git fetch -q origin && git checkout -q -B ${name} ${from} && echo ${name} >> ${path} && git add . && git commit -q -m ${name} && git push -q -f origin ${name} && git rev-parse HEAD`,
    'w',
  );
  expect(done.code, done.out).toBe(0);
  return done.out.trim();
}

const open = async (head: string, extra: object = {}) =>
  (await world.asApp.rest.pulls.create({ ...r, head, base: 'main', title: head, ...extra })).data.number;
const get = async (pull_number: number) => (await world.asApp.rest.pulls.get({ ...r, pull_number })).data;
const issueState = async (issue_number: number) =>
  (await world.asApp.rest.issues.get({ ...r, issue_number })).data.state;

it('computes mergeability after the first read', async () => {
  await branch('left', 'origin/main', 'same.txt');
  const right = await branch('right', 'origin/main', 'same.txt');
  const number = await open('left');
  await expect.poll(async () => (await get(number)).mergeable).toBe(true);
  await world.sh(`git push -q origin ${right}:main`, 'w');
  expect((await get(number)).mergeable).toBeNull();
  await expect.poll(async () => (await get(number)).mergeable).toBe(false);
});

it('follows its head branch, and closes when the branch goes', async () => {
  const first = await branch('follow');
  const number = await open('follow');
  const second = await branch('follow', 'origin/follow');
  const now = await get(number);
  expect([now.head.sha, now.commits]).toEqual([second, 2]);
  expect(await world.repo.git.ref(`refs/pull/${number}/head`)).toBe(second);
  await world.sh('git push -q origin :follow', 'w');
  expect([(await get(number)).state, (await get(number)).merged]).toEqual(['closed', false]);
  await expect(world.asApp.rest.pulls.update({ ...r, pull_number: number, state: 'open' })).rejects.toThrow();
  expect(await world.repo.git.object(first)).not.toBeNull();
});

it('is merged when its head is reachable from the default branch, and closes what it names', async () => {
  const named = (await world.asApp.rest.issues.create({ ...r, title: 'named in the pull request' })).data
    .number;
  const inCommit = (await world.asApp.rest.issues.create({ ...r, title: 'named in a commit' })).data.number;
  const untouched = (await world.asApp.rest.issues.create({ ...r, title: 'named on another branch' })).data
    .number;
  const head = await branch('landing');
  const number = await open('landing', { body: `Closes #${named}` });
  await world.sh(
    `git checkout -q -B other && git commit -q --allow-empty -m 'fixes #${untouched}' && git push -q origin other`,
    'w',
  );
  expect((await get(number)).merged).toBe(false);
  const build = await world.sh(
    `git checkout -q -B build origin/main && git merge -q --no-ff -m 'Build, resolves #${inCommit}' ${head} && git push -q origin build:refs/heads/ccd/queue/1 && git push -q --atomic origin build:main :refs/heads/ccd/queue/1 && git rev-parse HEAD`,
    'w',
  );
  const merged = await get(number);
  expect([merged.merged, merged.state, merged.merge_commit_sha]).toEqual([true, 'closed', build.out.trim()]);
  expect([await issueState(named), await issueState(inCommit), await issueState(untouched)]).toEqual([
    'closed',
    'closed',
    'open',
  ]);
});

// GitHub documentation, "Merging a pull request", indirect merges: the branch that it targets decides.
it('is merged by reaching the branch that it targets, and by no other', async () => {
  const head = await branch('elsewhere');
  await world.sh('git push -q origin origin/main:refs/heads/release', 'w');
  const number = (
    await world.asApp.rest.pulls.create({ ...r, head: 'elsewhere', base: 'release', title: 'x' })
  ).data.number;
  await world.sh(`git push -q origin ${head}:refs/heads/neighbour`, 'w');
  expect((await get(number)).merged).toBe(false);
  await world.sh(`git push -q origin ${head}:refs/heads/release`, 'w');
  expect((await get(number)).merged).toBe(true);
});

it('turns draft and ready by GraphQL alone', async () => {
  await branch('draft');
  const number = await open('draft', { draft: true });
  const { node_id: id } = await get(number);
  const change = (name: string) =>
    world.asApp.graphql<{ change: { pullRequest: { isDraft: boolean } } }>(
      `mutation($id: ID!) { change: ${name}(input: { pullRequestId: $id }) { pullRequest { isDraft } } }`,
      { id },
    );
  expect((await change('markPullRequestReadyForReview')).change.pullRequest.isDraft).toBe(false);
  expect((await get(number)).draft).toBe(false);
  expect((await change('convertPullRequestToDraft')).change.pullRequest.isDraft).toBe(true);
  const reader = world.asReader.graphql(
    'mutation($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { clientMutationId } }',
    { id },
  );
  await expect(reader).rejects.toThrow('Resource not accessible');
});

it('refuses a pull request without commits, without head, and a second one', async () => {
  await world.sh('git push -q origin origin/main:refs/heads/empty', 'w');
  await expect(open('empty')).rejects.toThrow('No commits between');
  await expect(open('missing')).rejects.toThrow('Validation Failed');
  await branch('twice');
  await open('twice');
  await expect(open('twice')).rejects.toThrow('already exists');
});
