import { expect } from 'vitest';
import { behaviours, refusal } from './support/behaviours.ts';
import type { Target } from './support/target.ts';

const pulls = (t: Target) => t.as('owner').rest.pulls;

async function open(t: Target, head: string, more: object = {}): Promise<number> {
  return (await pulls(t).create({ ...t.at, head, base: 'main', title: head, ...more })).data.number;
}

const get = async (t: Target, pull_number: number) => (await pulls(t).get({ ...t.at, pull_number })).data;
const issue = async (t: Target, title: string) =>
  (await t.as('owner').rest.issues.create({ ...t.at, title })).data.number;
const state = async (t: Target, issue_number: number) =>
  (await t.as('owner').rest.issues.get({ ...t.at, issue_number })).data.state;

const LINES = Array.from({ length: 12 }, (_, line) => `line ${line}`);
const changed = (line: number, text: string) =>
  `${LINES.map((old, at) => (at === line ? text : old)).join('\n')}\n`;

/** What a computed field says once GitHub has computed it. */
async function mergeable(t: Target, number: number): Promise<boolean | null> {
  await expect.poll(async () => (await get(t, number)).mergeable, { timeout: 30_000 }).not.toBeNull();
  return (await get(t, number)).mergeable;
}

behaviours('merges', [
  {
    does: 'merging branches makes a true three-way merge: 201, then 204, and 409 for a conflict',
    source: 'repos/merge 201, 204, 404, 409; REST, "Merge a branch"',
    show: async (t) => {
      const { repos } = t.as('owner').rest;
      const base = await t.push('three-base', { 'lines.txt': changed(-1, '') });
      const mine = await t.push('three-mine', { 'lines.txt': changed(1, 'mine') }, { from: base });
      await t.push('three-theirs', { 'lines.txt': changed(10, 'theirs') }, { from: base });
      await t.push('three-other', { 'lines.txt': changed(1, 'other') }, { from: base });
      const wish = { ...t.at, base: 'three-mine' };
      const merged = await repos.merge({ ...wish, head: 'three-theirs', commit_message: 'Both' });
      expect(merged.status).toBe(201);
      expect(merged.data.parents?.map((one) => one.sha)[0]).toBe(mine);
      expect(merged.data.commit?.message).toBe('Both');
      await t.git('git fetch -q origin');
      const text = (await t.git('git show origin/three-mine:lines.txt')).out;
      expect([text.includes('mine'), text.includes('theirs')]).toEqual([true, true]);
      expect((await repos.merge({ ...wish, head: 'three-theirs' })).status).toBe(204);
      const conflict = await refusal(repos.merge({ ...wish, head: 'three-other' }));
      expect(conflict).toMatchObject({ status: 409, message: 'Merge conflict' });
      expect((await refusal(repos.merge({ ...wish, base: 'none', head: 'three-mine' }))).status).toBe(404);
      expect((await refusal(repos.merge({ ...wish, head: 'none' }))).status).toBe(404);
    },
  },
  {
    does: 'mergeable is null at first, then computed, and computed anew when the base moved',
    source: 'REST, "Get a pull request", mergeable',
    show: async (t) => {
      await t.push('able', { 'able.txt': 'mine' });
      const number = await open(t, 'able');
      expect(await mergeable(t, number)).toBe(true);
      await t.push('main', { 'able.txt': 'theirs' });
      expect(await mergeable(t, number)).toBe(false);
    },
  },
  {
    does: 'a pull request merges at the head that was looked at: another `sha` is 409',
    source: 'pulls/merge 409; dlang-bot issue 77',
    show: async (t) => {
      const old = await t.push('pinned', { 'pinned.txt': '1' });
      const number = await open(t, 'pinned');
      const head = await t.push('pinned', { 'pinned.txt': '2' }, { from: 'origin/pinned' });
      const p = { ...t.at, pull_number: number };
      expect(await refusal(pulls(t).merge({ ...p, sha: old }))).toMatchObject({
        status: 409,
        message: 'Head branch was modified. Review and try the merge again.',
      });
      await mergeable(t, number);
      const merged = (await pulls(t).merge({ ...p, sha: head })).data;
      expect(merged.merged).toBe(true);
      const now = await get(t, number);
      expect([now.merged, now.state, now.merge_commit_sha]).toEqual([true, 'closed', merged.sha]);
      expect(await t.ref('refs/heads/main')).toBe(merged.sha);
      expect((await refusal(pulls(t).merge(p))).status).toBe(405);
      expect((await pulls(t).checkIfMerged(p)).status).toBe(204);
    },
  },
  {
    does: 'a conflict, a draft and a closed pull request do not merge: 405',
    source: 'pulls/merge 405',
    show: async (t) => {
      await t.push('clash', { 'clash.txt': 'mine' });
      const clash = await open(t, 'clash');
      await t.push('main', { 'clash.txt': 'theirs' });
      expect(await mergeable(t, clash)).toBe(false);
      const refused = await refusal(pulls(t).merge({ ...t.at, pull_number: clash }));
      expect(refused.status).toBe(405);
      await t.push('sketch', { 'sketch.txt': 's' });
      const draft = await open(t, 'sketch', { draft: true });
      expect((await refusal(pulls(t).merge({ ...t.at, pull_number: draft }))).status).toBe(405);
      await pulls(t).update({ ...t.at, pull_number: clash, state: 'closed' });
      expect((await refusal(pulls(t).merge({ ...t.at, pull_number: clash }))).status).toBe(405);
    },
  },
  {
    does: 'a squash is one commit on the base, and its pull request counts as merged',
    source: 'REST, "Merge a pull request", merge_method',
    show: async (t) => {
      await t.push('squash', { 's1.txt': '1' });
      await t.push('squash', { 's2.txt': '2' }, { from: 'origin/squash' });
      const number = await open(t, 'squash');
      await mergeable(t, number);
      const before = await t.ref('refs/heads/main');
      const merged = await pulls(t).merge({
        ...t.at,
        pull_number: number,
        merge_method: 'squash',
        commit_title: 'As one',
      });
      const commit = (await t.as('owner').rest.git.getCommit({ ...t.at, commit_sha: merged.data.sha })).data;
      expect(commit.parents.map((one) => one.sha)).toEqual([before]);
      expect(commit.message.split('\n')[0]).toBe('As one');
      expect((await get(t, number)).merged).toBe(true);
    },
  },
  {
    does: 'a pull request is merged once its head is reachable from the branch that it targets, by whatever push',
    source: 'documentation, "Merging a pull request", indirect merges',
    show: async (t) => {
      const head = await t.push('indirect', { 'indirect.txt': 'i' });
      const number = await open(t, 'indirect');
      await t.git(`git push -q origin ${head}:refs/heads/neighbour`);
      expect((await get(t, number)).merged).toBe(false);
      const landed = await t.git(
        `git fetch -q origin && git checkout -q --detach origin/main && git merge -q --no-ff -m Land ${head} && git push -q origin HEAD:main && git rev-parse HEAD`,
      );
      await expect.poll(async () => (await get(t, number)).merged, { timeout: 30_000 }).toBe(true);
      expect((await get(t, number)).merge_commit_sha).toBe(landed.out.trim());
    },
  },
  {
    does: 'closing keywords count on the default branch alone, in pull requests and commits',
    source: 'documentation, "Linking a pull request to an issue"',
    show: async (t) => {
      const [named, inCommit, elsewhere] = [
        await issue(t, 'named'),
        await issue(t, 'in a commit'),
        await issue(t, 'elsewhere'),
      ];
      await t.push('release', { 'release.txt': 'r' });
      await t.push('away', { 'away.txt': 'a' }, { from: 'origin/release', message: `Fixes #${elsewhere}` });
      const away = await open(t, 'away', { base: 'release', body: `Closes #${elsewhere}` });
      await mergeable(t, away);
      await pulls(t).merge({ ...t.at, pull_number: away });
      await t.push('home', { 'home.txt': 'h' }, { message: `Resolves #${inCommit}` });
      const home = await open(t, 'home', { body: `closes: #${named}` });
      await mergeable(t, home);
      await pulls(t).merge({ ...t.at, pull_number: home });
      await expect.poll(() => state(t, named), { timeout: 30_000 }).toBe('closed');
      await expect.poll(() => state(t, inCommit), { timeout: 30_000 }).toBe('closed');
      expect(await state(t, elsewhere)).toBe('open');
    },
  },
  {
    does: 'a head branch is brought up to date with its base, if it is the one that was looked at',
    source: 'pulls/update-branch 202, 422',
    show: async (t) => {
      const head = await t.push('behind', { 'behind.txt': 'b' });
      const number = await open(t, 'behind');
      await t.push('main', { 'ahead.txt': `${number}` });
      const p = { ...t.at, pull_number: number };
      const wrong = '1234567890'.repeat(4);
      expect((await refusal(pulls(t).updateBranch({ ...p, expected_head_sha: wrong }))).status).toBe(422);
      expect((await pulls(t).updateBranch({ ...p, expected_head_sha: head })).status).toBe(202);
      await expect.poll(async () => (await get(t, number)).head.sha, { timeout: 30_000 }).not.toBe(head);
      expect((await get(t, number)).commits).toBe(2);
    },
  },
]);
