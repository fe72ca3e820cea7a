import type { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { currentJobs, type RunRecord } from '../../../../src/local/actions/runs/records.ts';
import type { User } from '../../../../src/local/records/identity.ts';
import { addCollaborator, createUser, createUserToken } from '../../../../src/local/seed.ts';
import { type ActionsWorld, jobOf, logText, octokitFor, openWorld } from './support/actions-world.ts';

const AT = { owner: 'ada', repo: 'demo' };
const FILE = `
on: push
jobs:
  ship:
    runs-on: ubuntu-latest
    environment: {name: Production, url: 'https://example.com'}
    steps: [{run: 'echo "key=$KEY at \${{ vars.PLACE }} \${{ vars.COMMON }}"', env: {KEY: "\${{ secrets.KEY == 'env-key-env' }}"}}]
  free: {runs-on: ubuntu-latest, environment: staging, needs: ship, if: always(), steps: [{run: 'echo "\${{ needs.ship.result }} \${{ secrets.KEY == ''repo-key-repo'' }}"'}]}
`;

let world: ActionsWorld;
let reviewer: User;
let asReviewer: Octokit;
beforeAll(async () => {
  world = await openWorld();
  world.runner();
  const { store } = world.github;
  reviewer = createUser(store, 'rita');
  addCollaborator(world.repo, reviewer, 'read');
  const auth = createUserToken(store, reviewer);
  asReviewer = octokitFor(world.github, auth);
  world.repo.secrets.set('KEY', 'repo-key-repo');
  world.repo.variables.set('COMMON', 'common');
  world.actions.environments.set(world.repo, 'production', {
    reviewers: [reviewer, world.owner],
    preventSelfReview: true,
    secrets: { KEY: 'env-key-env' },
    variables: { PLACE: 'prod' },
  });
});
afterAll(() => world.close());

async function begin(message: string): Promise<RunRecord> {
  const sha = await world.push({ '.github/workflows/ci.yml': FILE, message }, { message });
  const run = await world.actions.waitForRun((one) => one.cause.headSha === sha);
  return world.actions.waitFor(run.id, (one) => one.status === 'waiting');
}

async function review(by: Octokit, run: RunRecord, state: 'approved' | 'rejected'): Promise<number> {
  const { data } = await by.rest.actions.getPendingDeploymentsForRun({ ...AT, run_id: run.id });
  const environment_ids = data.map((one) => one.environment.id!);
  return by.rest.actions
    .reviewPendingDeploymentsForRun({ ...AT, run_id: run.id, environment_ids, state, comment: 'Looked at' })
    .then(
      ({ status }) => status,
      (error: { status: number }) => error.status,
    );
}

describe('an environment with reviewers', () => {
  it('holds its jobs until one of them approves, but not who started the run', async () => {
    const run = await begin('one');
    expect(jobOf(run, 'ship')).toMatchObject({ status: 'waiting', startedAt: null });
    const pending = async (by: Octokit) =>
      (await by.rest.actions.getPendingDeploymentsForRun({ ...AT, run_id: run.id })).data.map((one) => [
        one.environment.name,
        one.current_user_can_approve,
        one.reviewers.length,
      ]);
    expect(await pending(world.octokit)).toEqual([['production', false, 2]]);
    expect(await pending(asReviewer)).toEqual([['production', true, 2]]);
    const stranger = octokitFor(
      world.github,
      createUserToken(world.github.store, createUser(world.github.store, 'sam')),
    );
    expect([
      await review(world.octokit, run, 'approved'),
      await review(stranger, run, 'approved'),
      run.status,
    ]).toEqual([422, 422, 'waiting']);
    expect(await review(asReviewer, run, 'approved')).toBe(200);
    await world.actions.completed(run.id);
    expect(run.conclusion).toBe('success');
    expect(logText(jobOf(run, 'ship'))).toContain('key=true at prod common');
    expect(logText(jobOf(run, 'free'))).toContain('success true');
    const { data } = await world.octokit.rest.actions.getReviewsForRun({ ...AT, run_id: run.id });
    expect(data.map((one) => [one.state, one.user.login, one.comment])).toEqual([
      ['approved', 'rita', 'Looked at'],
    ]);
    expect(await pending(asReviewer)).toEqual([]);
  });

  it('fails them when one rejects, and asks again for the next attempt', async () => {
    const run = await begin('two');
    expect(await review(asReviewer, run, 'rejected')).toBe(200);
    await world.actions.completed(run.id);
    expect([run.conclusion, jobOf(run, 'ship').conclusion]).toEqual(['failure', 'failure']);
    expect(jobOf(run, 'ship').annotations[0]?.message).toBe('rita rejected the deployment to Production.');
    expect(logText(jobOf(run, 'free'))).toContain('failure true');
    world.actions.engine.rerun(run, { onlyFailed: true, actor: run.actor });
    await world.actions.waitFor(run.id, (one) => one.status === 'waiting');
    expect(await review(asReviewer, run, 'approved')).toBe(200);
    await world.actions.completed(run.id);
    expect(run.conclusion).toBe('success');
  });

  it('lets go of what is cancelled', async () => {
    const run = await begin('three');
    await world.octokit.rest.actions.cancelWorkflowRun({ ...AT, run_id: run.id });
    await world.actions.completed(run.id);
    expect([run.conclusion, currentJobs(run).map((job) => job.conclusion)]).toEqual([
      'cancelled',
      ['cancelled', 'success'],
    ]);
    expect(world.actions.engine.approvals.pendingOf(run)).toEqual([]);
  });
});
