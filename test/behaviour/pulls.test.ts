import { expect } from 'vitest';
import { behaviours, refusal } from './support/behaviours.ts';
import type { Target } from './support/target.ts';

const pulls = (t: Target) => t.as('owner').rest.pulls;
const create = (t: Target, head: string, more: object = {}) =>
  pulls(t).create({ ...t.at, head, base: 'main', title: head, ...more });
const get = async (t: Target, pull_number: number) => (await pulls(t).get({ ...t.at, pull_number })).data;

const toggle = (t: Target, mutation: string, id: string) =>
  t
    .as('owner')
    .graphql<{ change: { pullRequest: { isDraft: boolean } } }>(
      `mutation($id: ID!) { change: ${mutation}(input: { pullRequestId: $id }) { pullRequest { isDraft } } }`,
      { id },
    );

behaviours('pull requests', [
  {
    does: 'one open pull request for a pair of branches: another is 422',
    source: 'pulls/create 422; reference, trunk, guard, merge queue',
    show: async (t) => {
      await t.push('twice', { 'twice.txt': 't' });
      const first = (await create(t, 'twice')).data.number;
      const second = await refusal(create(t, 'twice'));
      expect(second.status).toBe(422);
      expect(second.errors[0]?.message).toBe(`A pull request already exists for ${t.owner}:twice.`);
      await pulls(t).update({ ...t.at, pull_number: first, state: 'closed' });
      expect((await create(t, 'twice')).status).toBe(201);
    },
  },
  {
    does: 'nothing between the branches, a missing head or base: 422',
    source: 'pulls/create 422; reference, trunk, guard, merge queue',
    show: async (t) => {
      await t.git('git push -q origin origin/main:refs/heads/empty');
      const empty = await refusal(create(t, 'empty'));
      expect(empty.errors[0]?.message).toBe('No commits between main and empty');
      const missing = await refusal(create(t, 'missing'));
      expect([missing.status, missing.errors[0]?.field]).toEqual([422, 'head']);
      await t.push('homeless', { 'homeless.txt': 'h' });
      const homeless = await refusal(create(t, 'homeless', { base: 'none' }));
      expect([homeless.status, homeless.errors[0]?.field]).toEqual([422, 'base']);
    },
  },
  {
    does: 'draft and ready toggle by GraphQL',
    source: 'GraphQL, markPullRequestReadyForReview and convertPullRequestToDraft',
    show: async (t) => {
      await t.push('draft', { 'draft.txt': 'd' });
      const made = (await create(t, 'draft', { draft: true })).data;
      expect(made.draft).toBe(true);
      const ready = await toggle(t, 'markPullRequestReadyForReview', made.node_id);
      expect(ready.change.pullRequest.isDraft).toBe(false);
      expect((await get(t, made.number)).draft).toBe(false);
      const back = await toggle(t, 'convertPullRequestToDraft', made.node_id);
      expect(back.change.pullRequest.isDraft).toBe(true);
    },
  },
  {
    does: 'it follows its head branch, closes with it, and stays closed without it',
    source: 'documentation, "Closing a pull request"; webhooks, pull_request synchronize',
    show: async (t) => {
      await t.push('follow', { 'follow.txt': '1' });
      const { number } = (await create(t, 'follow')).data;
      const second = await t.push('follow', { 'follow.txt': '2' }, { from: 'origin/follow' });
      await expect.poll(async () => (await get(t, number)).head.sha, { timeout: 30_000 }).toBe(second);
      expect(await t.ref(`refs/pull/${number}/head`)).toBe(second);
      await t.git('git push -q origin :follow');
      await expect.poll(async () => (await get(t, number)).state, { timeout: 30_000 }).toBe('closed');
      expect((await get(t, number)).merged).toBe(false);
      const reopened = await refusal(pulls(t).update({ ...t.at, pull_number: number, state: 'open' }));
      expect(reopened.status).toBe(422);
      expect(await t.ref(`refs/pull/${number}/head`), 'its commits stay').toBe(second);
    },
  },
  {
    does: 'one’s own pull request is not approved by oneself',
    source: 'pulls/create-review 422',
    show: async (t) => {
      await t.push('own', { 'own.txt': 'o' });
      const { number } = (await create(t, 'own')).data;
      const review = pulls(t).createReview({ ...t.at, pull_number: number, event: 'APPROVE' });
      expect((await refusal(review)).status).toBe(422);
    },
  },
]);
