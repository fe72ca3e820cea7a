import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CheckAnnotation, checkBodies } from '../../../../src/github/apply/check-fields.ts';
import { createCheck } from '../../../../src/github/apply/create-check.ts';
import { updateCheck } from '../../../../src/github/apply/update-check.ts';
import { actionsAppId, observeChecks } from '../../../../src/github/observe/checks.ts';
import { at, type LocalWorld, openGitHub, type Person } from '../local-world.ts';

let world: LocalWorld;
let ada: Person;
let commit: string;

const ci = `name: CI
on: push
permissions: { checks: write }
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - run: "true"
`;

beforeAll(async () => {
  world = await openGitHub();
  ada = world.person('ada');
  world.runner();
  commit = await world.push({ '.github/workflows/ci.yml': ci });
  const run = await world.actions.waitForRun((one) => one.cause.headSha === commit);
  await world.actions.completed(run.id);
});
afterAll(() => world.close());

function annotations(count: number): CheckAnnotation[] {
  return Array.from({ length: count }, (_, index) => ({
    path: 'src/a.ts',
    start_line: index + 1,
    end_line: index + 1,
    annotation_level: 'failure',
    message: `finding ${index}`,
  }));
}

const content = { externalId: 'sha256:key', title: 'Refused', summary: 'Two findings' } as const;

describe('a check', () => {
  it('is put on a commit, found, and overwritten', async () => {
    const made = await createCheck(world.client, world.name, {
      ...content,
      name: 'ccd / guard',
      commit,
      conclusion: null,
    });
    if (made.kind !== 'done') throw new Error(JSON.stringify(made));
    const search = { name: 'ccd / guard', appId: world.app.id, runs: false };
    const running = { id: made.id, commit, appId: world.app.id, externalId: 'sha256:key', run: null };
    expect(await observeChecks(world.client, world.name, commit, search)).toEqual([
      { ...running, name: 'ccd / guard', status: 'in_progress', conclusion: null },
    ]);
    expect(
      await updateCheck(world.client, world.name, { ...content, id: made.id, conclusion: 'failure' }),
    ).toEqual({
      kind: 'done',
    });
    expect(await observeChecks(world.client, world.name, commit, search)).toMatchObject([
      { status: 'completed', conclusion: 'failure' },
    ]);
  });

  it('carries more annotations than one request takes', async () => {
    const before = world.client.counts().write;
    const made = await createCheck(world.client, world.name, {
      ...content,
      name: 'many',
      commit,
      conclusion: 'failure',
      annotations: annotations(120),
    });
    expect(world.client.counts().write - before).toBe(3);
    if (made.kind !== 'done') throw new Error(JSON.stringify(made));
    const { data } = await ada.octokit.checks.listAnnotations({
      ...at(world),
      check_run_id: made.id,
      per_page: 100,
      page: 2,
    });
    expect(data).toHaveLength(20);
  });

  it('is not concluded when its writing broke off, and not taken for what it should have shown', async () => {
    const heal = world.github.store.faults.before('checks/update', () => ({ status: 502 }));
    const outcome = await createCheck(world.client, world.name, {
      ...content,
      name: 'broken',
      commit,
      conclusion: 'success',
      annotations: annotations(51),
    });
    heal();
    expect(outcome.kind).toBe('unclear');
    const search = { name: 'broken', runs: false };
    expect(await observeChecks(world.client, world.name, commit, search)).toMatchObject([
      { status: 'in_progress', conclusion: null, externalId: null },
    ]);
  });

  it('cannot be put by a person', async () => {
    const outcome = await createCheck(ada.client, world.name, {
      ...content,
      name: 'x',
      commit,
      conclusion: null,
    });
    expect(outcome).toMatchObject({ kind: 'refused', reason: 'forbidden' });
  });
});

describe('the run of a check of Actions', () => {
  it('is found when a job made it', async () => {
    const found = await observeChecks(world.client, world.name, commit, { name: 'test', runs: true });
    expect(found).toMatchObject([
      {
        appId: actionsAppId,
        conclusion: 'success',
        run: { event: 'push', path: '.github/workflows/ci.yml', branch: 'main', head: commit, attempt: 1 },
      },
    ]);
  });

  it('is not found for a check that a job forged, even when it points at a genuine job', async () => {
    const [genuine] = await observeChecks(world.client, world.name, commit, { name: 'test', runs: true });
    const runId = genuine?.run?.id ?? 0;
    const { data: jobs } = await ada.octokit.actions.listJobsForWorkflowRun({ ...at(world), run_id: runId });
    const token = world.github.store.createJobToken({
      repo: world.repo,
      permissions: { checks: 'write' },
      runId,
    });
    const forger = world.clientWith(token);
    const made = await createCheck(forger, world.name, {
      ...content,
      name: 'required',
      commit,
      conclusion: 'success',
      detailsUrl: jobs.jobs[0]?.html_url ?? '',
    });
    expect(made.kind).toBe('done');
    const forged = await observeChecks(world.client, world.name, commit, { name: 'required', runs: true });
    expect(forged).toMatchObject([{ appId: actionsAppId, conclusion: 'success', run: null }]);
  });
});

describe('checkBodies', () => {
  it('concludes with the last request only', () => {
    const bodies = checkBodies({ ...content, conclusion: 'failure', annotations: annotations(101) });
    expect(bodies.map((body) => body.conclusion)).toEqual([undefined, undefined, 'failure']);
  });

  it('leaves no annotation out', () => {
    const bodies = checkBodies({ ...content, conclusion: 'failure', annotations: annotations(100) });
    const sent = bodies.flatMap(
      (body) => (body.output as { annotations?: CheckAnnotation[] }).annotations ?? [],
    );
    expect(sent).toEqual(annotations(100));
    expect(bodies).toHaveLength(2);
  });
});
