import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIssue } from '../../../../src/local/issues/create.ts';
import { deleteIssue, transferIssue } from '../../../../src/local/issues/leave.ts';
import { createRepo } from '../../../../src/local/seed.ts';
import { type HostileWorld, openHostileWorld } from '../../../browser/support/hostile-world.ts';

let world: HostileWorld;

beforeAll(async () => {
  world = await openHostileWorld();
});

afterAll(() => world.close());

/** Addresses of pages anywhere in an answer of the API. */
function pageAddresses(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const one of value) pageAddresses(one, found);
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) {
      if (/^(?:html|blob|raw|diff|patch|permalink|download)_url$/.test(key) && typeof inner === 'string')
        found.add(inner);
      else pageAddresses(inner, found);
    }
  return found;
}

async function answersOf({ octokit, owner, repo }: HostileWorld): Promise<unknown[]> {
  const at = { owner, repo };
  const pull = (await octokit.pulls.list({ ...at, state: 'all', direction: 'asc' })).data[0]!;
  const runs = (await octokit.actions.listWorkflowRunsForRepo(at)).data.workflow_runs;
  const head = pull.head.sha;
  const numbers = (await octokit.paginate(octokit.issues.listForRepo, { ...at, state: 'all' })).map(
    (one) => one.number,
  );
  const answers = await Promise.all([
    octokit.repos.get(at),
    octokit.users.getAuthenticated(),
    octokit.repos.getBranch({ ...at, branch: 'main' }),
    octokit.issues.listForRepo({ ...at, state: 'all', per_page: 100 }),
    octokit.pulls.list({ ...at, state: 'all' }),
    octokit.pulls.get({ ...at, pull_number: pull.number }),
    octokit.pulls.listFiles({ ...at, pull_number: pull.number }),
    octokit.pulls.listCommits({ ...at, pull_number: pull.number }),
    octokit.pulls.listReviews({ ...at, pull_number: pull.number }),
    octokit.repos.listCommits(at),
    octokit.repos.getCommit({ ...at, ref: head }),
    octokit.repos.compareCommitsWithBasehead({ ...at, basehead: 'main...feature/one' }),
    octokit.repos.getContent({ ...at, path: 'odd' }),
    octokit.repos.getContent({ ...at, path: 'README.md' }),
    octokit.checks.listForRef({ ...at, ref: head }),
    octokit.repos.getRepoRulesets(at),
    octokit.actions.listRepoWorkflows(at),
    octokit.actions.listWorkflowRunsForRepo(at),
    ...runs.map((run) => octokit.actions.listJobsForWorkflowRun({ ...at, run_id: run.id })),
    ...numbers.slice(-6).map((issue_number) => octokit.issues.listEventsForTimeline({ ...at, issue_number })),
    ...numbers.slice(-6).map((issue_number) => octokit.issues.listComments({ ...at, issue_number })),
  ]);
  return answers.map((answer) => answer.data as unknown);
}

describe('addresses of pages', () => {
  it('lead to a page wherever the API gives one', async () => {
    const addresses = [...pageAddresses(await answersOf(world))];
    const kinds = new Set(
      addresses.map((one) =>
        new URL(one).pathname
          .replace(/[0-9a-f]{40}|\d+/g, 'n')
          .split('/')
          .slice(3, 5)
          .join('/'),
      ),
    );
    expect(kinds.size).toBeGreaterThan(12);
    const wrong: string[] = [];
    for (const address of addresses) {
      const answer = await fetch(address, { headers: { accept: 'text/html' } });
      await answer.arrayBuffer();
      if (answer.status !== 200) wrong.push(`${answer.status} ${address}`);
    }
    expect(wrong).toEqual([]);
    expect(world.github.store.crashes).toEqual([]);
  });

  it('are 404 where there is nothing', async () => {
    for (const path of [
      '/nobody',
      '/ada/nothing',
      '/ada/demo/issues/9999',
      '/ada/demo/pull/1x',
      '/ada/demo/commit/0000000',
      '/ada/demo/blob/main/none',
      '/ada/demo/runs/1',
      '/ada/demo/actions/runs/1',
      '/%E0%A4%A',
    ]) {
      const answer = await fetch(world.github.url + path, { headers: { accept: 'text/html' } });
      expect(answer.status, path).toBe(404);
      expect(await answer.text(), path).toContain('no such page');
    }
  });

  it('of an issue that was transferred lead on to where it lives, those of a deleted one nowhere', async () => {
    const { store, url } = world.github;
    const owner = store.userByLogin('ada')!;
    const target = await createRepo(store, { owner, name: 'elsewhere' });
    const from = store.repoByName('ada', 'demo')!;
    const actor = { user: owner, app: null, via: 'user' } as const;
    const [one, other] = ['moves', 'goes'].map((title) =>
      createIssue(store, from, actor, { title, body: null }),
    );
    transferIssue(store, from, target, actor, one!, { createLabels: false });
    deleteIssue(store, from, actor, other!);
    const look = (number: number) =>
      fetch(`${url}/ada/demo/issues/${number}`, { redirect: 'manual', headers: { accept: 'text/html' } });
    const moved = await look(one!.number);
    expect([moved.status, moved.headers.get('location')]).toEqual([302, '/ada/elsewhere/issues/1']);
    expect(await (await fetch(`${url}/ada/demo/issues/${one!.number}`)).text()).toContain('moves');
    expect((await look(other!.number)).status).toBe(404);
  });

  it('of a repository that was renamed lead on to the new name', async () => {
    await world.octokit.repos.update({ owner: 'ada', repo: 'empty', name: 'renamed' });
    const old = `${world.github.url}/ada/empty/issues`;
    const answer = await fetch(old, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/ada/renamed/issues']);
    expect((await fetch(old)).status).toBe(200);
  });
});
