import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cancelRun } from '../../../../src/github/apply/cancel-run.ts';
import { dispatchWorkflow } from '../../../../src/github/apply/dispatch-workflow.ts';
import { observeArtifacts } from '../../../../src/github/observe/artifacts.ts';
import { downloadArtifact } from '../../../../src/github/observe/download-artifact.ts';
import { findRunsByTitle, observeRun, runsForCommit } from '../../../../src/github/observe/runs.ts';
import { type LocalWorld, openGitHub } from '../local-world.ts';

let world: LocalWorld;
let head: string;

const worker = `name: worker
run-name: ccd attempt \${{ inputs.attempt }}
on:
  workflow_dispatch:
    inputs:
      attempt: { required: true, type: string }
jobs:
  work:
    runs-on: [self-hosted, "\${{ inputs.attempt == '1.1' && 'ccd' || 'absent' }}"]
    steps:
      - run: echo tree > tree.txt
      - uses: actions/upload-artifact@v4
        with: { name: 'ccd-tree-1.1-1', path: tree.txt }
`;

beforeAll(async () => {
  world = await openGitHub();
  world.runner({ labels: ['ccd'] });
  await world.push({ '.github/workflows/ccd-worker.yml': worker });
  head = await world.push({ 'x.txt': 'x\n' }, { branch: 'ccd/run' });
});
afterAll(() => world.close());

async function dispatch(attempt: string): Promise<number> {
  const outcome = await dispatchWorkflow(world.client, world.name, {
    workflow: 'ccd-worker.yml',
    ref: 'refs/heads/ccd/run',
    inputs: { attempt },
  });
  if (outcome.kind !== 'done' || outcome.runId === null) throw new Error(JSON.stringify(outcome));
  return outcome.runId;
}

describe('a dispatched run', () => {
  it('is told by its id, started by the app, on the commit of its ref', async () => {
    const id = await dispatch('2.1');
    expect(await observeRun(world.client, world.name, id)).toMatchObject({
      id,
      attempt: 1,
      event: 'workflow_dispatch',
      path: '.github/workflows/ccd-worker.yml',
      branch: 'ccd/run',
      head,
      title: 'ccd attempt 2.1',
      actorId: world.app.botId,
      status: 'queued',
      conclusion: null,
    });
    expect(await observeRun(world.client, world.name, 99_999_999)).toBeNull();
  });

  it('is found by its title, its branch and its time', async () => {
    const id = await dispatch('3.1');
    const search = { workflow: 'ccd-worker.yml', branch: 'ccd/run', createdSince: null };
    const all = await findRunsByTitle(world.client, world.name, search);
    expect(all.map((run) => run.id)).toContain(id);
    expect([...all].sort((one, other) => one.id - other.id)).toEqual(all);
    expect(
      (await findRunsByTitle(world.client, world.name, { ...search, titleHolds: 'attempt 3.1' })).map(
        (run) => run.id,
      ),
    ).toEqual([id]);
    const later = { ...search, createdSince: '2099-01-01T00:00:00Z' };
    expect(await findRunsByTitle(world.client, world.name, later)).toEqual([]);
    expect(await findRunsByTitle(world.client, world.name, { ...search, branch: 'main' })).toEqual([]);
    expect(await findRunsByTitle(world.client, world.name, { ...search, workflow: 'none.yml' })).toEqual([]);
    expect((await runsForCommit(world.client, world.name, head)).map((run) => run.id)).toContain(id);
  });

  it('is cancelled once; afterwards there is nothing to cancel', async () => {
    const id = await dispatch('4.1');
    expect(await cancelRun(world.client, world.name, { id, force: false })).toEqual({ kind: 'done' });
    await world.actions.completed(id);
    expect(await observeRun(world.client, world.name, id)).toMatchObject({
      status: 'completed',
      conclusion: 'cancelled',
    });
    expect(await cancelRun(world.client, world.name, { id, force: true })).toEqual({ kind: 'exists' });
  });

  it('is refused for a workflow that is not there, and for inputs that it lacks', async () => {
    const ref = 'refs/heads/ccd/run';
    const none = await dispatchWorkflow(world.client, world.name, { workflow: 'none.yml', ref, inputs: {} });
    expect(none).toMatchObject({ kind: 'refused', reason: 'not-found' });
    const odd = { workflow: 'ccd-worker.yml', ref, inputs: { attempt: '1.1', odd: 'x' } } as const;
    expect(await dispatchWorkflow(world.client, world.name, odd)).toMatchObject({
      kind: 'refused',
      reason: 'unprocessable',
    });
  });

  it('is unclear when the answer was lost, and then found by its title', async () => {
    const heal = world.github.store.faults.after('actions/create-workflow-dispatch', () => ({ reset: true }));
    const outcome = await dispatchWorkflow(world.client, world.name, {
      workflow: 'ccd-worker.yml',
      ref: 'refs/heads/ccd/run',
      inputs: { attempt: '5.1' },
    });
    heal();
    expect(outcome.kind).toBe('unclear');
    const search = { workflow: 'ccd-worker.yml', branch: 'ccd/run', createdSince: null, titleHolds: ' 5.1' };
    expect(await findRunsByTitle(world.client, world.name, search)).toHaveLength(1);
  });
});

describe('artifacts', () => {
  it('are listed and downloaded, within the limit', async () => {
    const runId = await dispatch('1.1');
    await world.actions.completed(runId);
    const [artifact, ...more] = await observeArtifacts(world.client, world.name, runId);
    expect(more).toEqual([]);
    expect(artifact).toMatchObject({ runId, name: 'ccd-tree-1.1-1', expired: false });
    const id = artifact?.id ?? 0;
    const got = await downloadArtifact(world.client, world.name, id, { maxBytes: 10_000 });
    expect(got.kind === 'done' && Buffer.from(got.bytes.subarray(0, 2)).toString()).toBe('PK');
    expect(got.kind === 'done' && got.bytes.byteLength).toBe(artifact?.bytes);
    expect(await downloadArtifact(world.client, world.name, id, { maxBytes: 10 })).toEqual({
      kind: 'too-large',
      maxBytes: 10,
    });
  });

  it('that are not there are gone', async () => {
    expect(await downloadArtifact(world.client, world.name, 99_999, { maxBytes: 10 })).toEqual({
      kind: 'gone',
    });
    expect(await observeArtifacts(world.client, world.name, 99_999_999)).toEqual([]);
  });
});
