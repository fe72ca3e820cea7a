import { expect, it } from 'vitest';
import { composeBuild } from '../../../src/app/compute/compose-build.ts';
import type { ComputeInput } from '../../../src/app/compute/compute-input.ts';
import { record } from '../../../src/supervisor/record.ts';
import { at, buildOf, memberOf, snapshotOf } from '../../support/snapshots.ts';
import { commitFiles, makeClone, makeRemote, refsOf } from '../git/repositories.ts';

/** A pull request of a fork as GitHub keeps it: its commit stands on no branch of the repository. */
async function queuedFork() {
  const remote = await makeRemote();
  const base = await commitFiles(remote, { 'a.txt': 'a\n' }, { ref: 'refs/heads/main' });
  const head = await commitFiles(
    remote,
    { 'a.txt': 'a\n', 'b.txt': 'b\n' },
    { parents: [base], ref: 'refs/pull/9/head' },
  );
  const clone = await makeClone(remote);
  await clone.fetch();
  const composed = (candidate: string) => {
    const member = memberOf(9, candidate, { kind: 'pull', pull: 9, keyDigest: null });
    const snapshot = snapshotOf({ members: [member], build: buildOf([member], { base }) });
    const input = { context: { clone }, snapshot, state: snapshot.state } as unknown as ComputeInput;
    return composeBuild(input, 1).then((outcome) => ({ outcome, state: snapshot.state }));
  };
  return { remote, head, composed };
}

it('a queued commit of a fork is fetched by its id: no branch of ours names it', async () => {
  const { remote, head, composed } = await queuedFork();
  const { outcome } = await composed(head);
  expect(outcome.kind).toBe('build-composed');
  expect(Object.keys(await refsOf(remote))).toEqual(['refs/heads/main', 'refs/pull/9/head']);
});

it('a queued commit that is gone leaves the queue with an answer, and stops nothing else', async () => {
  const { composed } = await queuedFork();
  const { outcome, state } = await composed('1'.repeat(40));
  expect(outcome).toMatchObject({ kind: 'candidate-gone' });
  const { queue, repository } = record(state, [outcome], at(60));
  expect(queue).toMatchObject({ members: [], build: null });
  expect(repository.answers).toMatchObject([{ number: 9, code: 'back.candidate-gone' }]);
});
