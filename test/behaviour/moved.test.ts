import { expect } from 'vitest';
import { behaviours, refusal } from './support/behaviours.ts';
import type { Target } from './support/target.ts';

const make = async (t: Target, title: string, more: object = {}) =>
  (await t.as('owner').rest.issues.create({ ...t.at, title, ...more })).data;

const graph = <T = unknown>(t: Target, query: string, input: object) =>
  t.as('owner').graphql<T>(query, { input });

/** Runs something while the repository has another name. */
async function renamed(t: Target, name: string, run: () => Promise<void>): Promise<void> {
  const { repos } = t.as('owner').rest;
  await repos.update({ ...t.at, name });
  try {
    await run();
  } finally {
    await repos.update({ ...t.at, repo: name, name: t.repo });
  }
}

const nodeOf = async (t: Target, repo = t.repo): Promise<string> =>
  (await t.as('owner').rest.repos.get({ ...t.at, repo })).data.node_id;

behaviours('what moved, ended or was closed to writing', [
  {
    does: 'a deleted issue is 410 from then on, and its number is not given again',
    source: 'issues/get 410; REST, "Get an issue"',
    show: async (t) => {
      const { node_id, number } = await make(t, 'Doomed');
      const mutation =
        'mutation($input: DeleteIssueInput!) { deleteIssue(input: $input) { clientMutationId } }';
      await graph(t, mutation, { issueId: node_id });
      const gone = await refusal(t.as('owner').rest.issues.get({ ...t.at, issue_number: number }));
      expect(gone).toMatchObject({ status: 410, message: 'This issue was deleted' });
      const comment = t.as('owner').rest.issues.createComment({ ...t.at, issue_number: number, body: 'x' });
      expect((await refusal(comment)).status).toBe(410);
      expect((await make(t, 'Next')).number).toBeGreaterThan(number);
    },
  },
  {
    does: 'a transferred issue lives on elsewhere with its comments, under a new number; the old place sends there',
    source: 'issues/get 301; documentation, "Transferring an issue to another repository"',
    needs: ['second repository'],
    show: async (t) => {
      const other = await t.otherRepository();
      const { node_id, number } = await make(t, 'Moving', { body: 'text', labels: ['kept'] });
      await t.as('owner').rest.issues.createComment({ ...t.at, issue_number: number, body: 'along' });
      const mutation =
        'mutation($input: TransferIssueInput!) { transferIssue(input: $input) { issue { number title repository { name } } } }';
      type Answer = {
        transferIssue: { issue: { number: number; title: string; repository: { name: string } } };
      };
      const { issue } = (
        await graph<Answer>(t, mutation, {
          issueId: node_id,
          repositoryId: await nodeOf(t, other),
          createLabelsIfMissing: true,
        })
      ).transferIssue;
      expect([issue.title, issue.repository.name]).toEqual(['Moving', other]);
      const there = { ...t.at, repo: other, issue_number: issue.number };
      const moved = (await t.as('owner').rest.issues.get(there)).data;
      expect([moved.body, moved.labels.length, moved.comments]).toEqual(['text', 1, 1]);
      const old = await t.ask(`/repos/${t.owner}/${t.repo}/issues/${number}`, { role: 'owner' });
      const id = (await t.as('owner').rest.repos.get({ ...t.at, repo: other })).data.id;
      expect(old.status).toBe(301);
      expect(old.headers.get('location')).toMatch(new RegExp(`/repositories/${id}/issues/${issue.number}$`));
    },
  },
  {
    does: 'a repository is found by its id',
    source: 'REST, "Best practices for using the REST API", redirects: /repositories/{id}',
    needs: ['redirects'],
    show: async (t) => {
      const { id } = (await t.as('owner').rest.repos.get(t.at)).data;
      const found = await t.ask(`/repositories/${id}`, { role: 'owner' });
      expect([found.status, ((await found.json()) as { name: string }).name]).toEqual([200, t.repo]);
      const { number } = await make(t, 'By id');
      expect((await t.ask(`/repositories/${id}/issues/${number}`, { role: 'owner' })).status).toBe(200);
      expect((await t.ask('/repositories/1', { role: 'owner' })).status).toBe(404);
    },
  },
  {
    does: 'a renamed repository sends callers of its old name on: 301 to read, 307 to write',
    source:
      'documentation, "Renaming a repository"; REST, "Best practices for using the REST API", redirects',
    needs: ['redirects'],
    show: async (t) => {
      const { number } = await make(t, 'Named');
      const { id } = (await t.as('owner').rest.repos.get(t.at)).data;
      const old = `/repos/${t.owner}/${t.repo}/issues/${number}`;
      await renamed(t, `${t.repo}-renamed`, async () => {
        const read = await t.ask(old, { role: 'owner' });
        expect(read.status).toBe(301);
        expect(read.headers.get('location')).toMatch(new RegExp(`/repositories/${id}/issues/${number}$`));
        const followed = await t.ask(`/repositories/${id}/issues/${number}`, { role: 'owner' });
        expect(((await followed.json()) as { title: string }).title).toBe('Named');
        const write = await t.ask(old, { role: 'owner', method: 'PATCH', body: { title: 'x' } });
        expect(write.status).toBe(307);
      });
      expect((await t.ask(old, { role: 'owner' })).status).toBe(200);
    },
  },
  {
    does: 'GraphQL follows a rename unless told not to',
    source: 'GraphQL, Query.repository, followRenames',
    show: async (t) => {
      const name = `${t.repo}-other-name`;
      const ask = (follow: boolean) =>
        t
          .as('owner')
          .graphql<{ repository: { name: string } }>(
            'query($owner: String!, $repo: String!, $follow: Boolean!) { repository(owner: $owner, name: $repo, followRenames: $follow) { name } }',
            { owner: t.owner, repo: t.repo, follow },
          );
      await renamed(t, name, async () => {
        expect((await ask(true)).repository.name).toBe(name);
        await expect(ask(false)).rejects.toThrow('Could not resolve to a Repository');
      });
    },
  },
  {
    does: 'an archived repository is read-only at every door',
    source: 'documentation, "Archiving repositories"; r-universe-org/help issue 247',
    show: async (t) => {
      const { repos, issues } = t.as('owner').rest;
      const { number } = await make(t, 'Before');
      await t.push('before', { 'before.txt': 'b' });
      await repos.update({ ...t.at, archived: true });
      const words = { status: 403, message: 'Repository was archived so is read-only.' };
      expect(await refusal(issues.create({ ...t.at, title: 'After' }))).toMatchObject(words);
      const comment = issues.createComment({ ...t.at, issue_number: number, body: 'x' });
      expect(await refusal(comment)).toMatchObject(words);
      expect((await t.git('git push origin HEAD:refs/heads/after')).code).not.toBe(0);
      expect((await issues.get({ ...t.at, issue_number: number })).data.title).toBe('Before');
      await repos.update({ ...t.at, archived: false });
      expect((await issues.create({ ...t.at, title: 'Again' })).status).toBe(201);
    },
  },
  {
    does: 'what does not exist and what one may not see are the same 404',
    source: 'REST, "Troubleshooting the REST API", 404',
    show: async (t) => {
      const none = await refusal(t.as('owner').rest.repos.get({ ...t.at, repo: 'no-such-repository' }));
      expect(none).toMatchObject({ status: 404, message: 'Not Found' });
      const issue = await refusal(t.as('owner').rest.issues.get({ ...t.at, issue_number: 999_999 }));
      expect(issue).toMatchObject({ status: 404, message: 'Not Found' });
    },
  },
]);
