import { expect } from 'vitest';
import { behaviours, refusal } from './support/behaviours.ts';
import type { Target } from './support/target.ts';

const ZERO = '0'.repeat(40);
const NOWHERE = '1234567890'.repeat(4);

const main = async (t: Target): Promise<string> => (await t.ref('refs/heads/main'))!;
const create = async (t: Target, ref: string, sha: string) =>
  t.as('owner').rest.git.createRef({ ...t.at, ref, sha });

type RefUpdate = { name: string; beforeOid?: string; afterOid: string; force?: boolean };

async function updateRefs(t: Target, refUpdates: readonly RefUpdate[]): Promise<unknown> {
  const { node_id: repositoryId } = (await t.as('owner').rest.repos.get(t.at)).data;
  return t
    .as('owner')
    .graphql('mutation($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }', {
      input: { repositoryId, refUpdates },
    });
}

behaviours('refs', [
  {
    does: 'a ref that exists is not made again: 422',
    source: 'git/create-ref; reference, atomicity, POST git/refs',
    show: async (t) => {
      const sha = await main(t);
      expect((await create(t, 'refs/heads/once', sha)).status).toBe(201);
      expect(await refusal(create(t, 'refs/heads/once', sha))).toMatchObject({
        status: 422,
        message: 'Reference already exists',
      });
    },
  },
  {
    does: 'of many who make one ref, one succeeds',
    source: 'reference, atomicity, POST git/refs: the simplest lock',
    show: async (t) => {
      const sha = await main(t);
      const tries = Array.from({ length: 8 }, () => create(t, 'refs/heads/claimed', sha));
      const outcomes = await Promise.allSettled(tries);
      expect(outcomes.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
    },
  },
  {
    does: 'names need two slashes, and objects that exist',
    source: 'REST, "Create a reference"',
    show: async (t) => {
      expect((await refusal(create(t, 'heads', await main(t)))).status).toBe(422);
      const nothing = await refusal(create(t, 'refs/heads/nothing', NOWHERE));
      expect(nothing).toMatchObject({ status: 422, message: 'Object does not exist' });
    },
  },
  {
    does: 'a ref moves to descendants only, unless forced',
    source: 'REST, "Update a reference"; octokit.js issue 21',
    show: async (t) => {
      const before = await main(t);
      const after = await t.push('forward', { 'f.txt': 'f' });
      await create(t, 'refs/heads/moving', before);
      const { git } = t.as('owner').rest;
      const update = { ...t.at, ref: 'heads/moving' };
      expect((await git.updateRef({ ...update, sha: after })).data.object.sha).toBe(after);
      const back = await refusal(git.updateRef({ ...update, sha: before }));
      expect(back).toMatchObject({ status: 422, message: 'Update is not a fast forward' });
      expect((await git.updateRef({ ...update, sha: before, force: true })).status).toBe(200);
      const none = await refusal(git.updateRef({ ...t.at, ref: 'heads/none', sha: after }));
      expect(none).toMatchObject({ status: 422, message: 'Reference does not exist' });
      const gone = await refusal(git.deleteRef({ ...t.at, ref: 'heads/none' }));
      expect(gone).toMatchObject({ status: 422, message: 'Reference does not exist' });
    },
  },
  {
    does: 'a ref is no folder of refs',
    source: 'git, "git-check-ref-format"; reference, the stand-in, directory/file conflicts',
    show: async (t) => {
      const sha = await main(t);
      await create(t, 'refs/heads/d', sha);
      // Source of the words: issue "Unable to create branch with valid branch name" of vscode-remote-repositories-github.
      const below = await refusal(create(t, 'refs/heads/d/e', sha));
      expect(below).toMatchObject({ status: 422, message: 'Reference update failed' });
      await create(t, 'refs/heads/p/q', sha);
      const above = await refusal(create(t, 'refs/heads/p', sha));
      expect(above).toMatchObject({ status: 422, message: 'Reference update failed' });
      const pushed = await t.git('git push origin HEAD:refs/heads/d/e');
      expect(pushed.out).toMatch(/remote rejected/);
      expect(pushed.out, 'nothing of where the server keeps it').not.toMatch(/\.lock|Unable to create/);
    },
  },
  {
    does: 'a name that git takes for no ref is refused by that name',
    source: 'octokit.rb, issue "create_ref error message can be unhelpful"',
    show: async (t) => {
      const refused = await refusal(create(t, 'refs/heads/a..b', await main(t)));
      expect(refused).toMatchObject({ status: 422, message: 'refs/heads/a..b is not a valid ref name.' });
    },
  },
  {
    does: 'refs/pull belongs to the server at every door, other namespaces are free',
    source: 'reference, refs and namespaces',
    show: async (t) => {
      const pushed = await t.git('git push origin HEAD:refs/pull/77/head');
      expect(pushed.out).toContain('deny updating a hidden ref');
      expect((await refusal(create(t, 'refs/pull/77/head', await main(t)))).status).toBe(422);
      expect((await t.git('git push -q origin HEAD:refs/notes/kept')).code).toBe(0);
      expect(await t.ref('refs/notes/kept')).not.toBeNull();
    },
  },
  {
    does: 'an atomic push moves all refs or none, each from where it was expected',
    source: 'git, "git-push --atomic --force-with-lease"; reference, the stand-in, atomic pushes',
    show: async (t) => {
      const tip = await t.push('atomic-work', { 'atomic.txt': 'a' });
      const lease = (name: string, oid: string) => `--force-with-lease=refs/heads/${name}:${oid}`;
      const push = (first: string, second: string, oid = tip) =>
        t.git(
          `git push --atomic ${lease('at-a', first)} ${lease('at-b', second)} origin ${oid}:refs/heads/at-a ${oid}:refs/heads/at-b`,
        );
      expect((await push('', NOWHERE)).code).not.toBe(0);
      expect([await t.ref('refs/heads/at-a'), await t.ref('refs/heads/at-b')]).toEqual([null, null]);
      expect((await push('', '')).code).toBe(0);
      expect([await t.ref('refs/heads/at-a'), await t.ref('refs/heads/at-b')]).toEqual([tip, tip]);
      const later = await t.push('atomic-later', { 'atomic.txt': 'b' }, { from: tip });
      expect((await push('', '', later)).code, 'an empty lease means: it must not exist').not.toBe(0);
      expect((await push(tip, tip, later)).code).toBe(0);
    },
  },
  {
    does: 'updateRefs compares and swaps several refs at once; a stale one is an error without a type',
    source: 'GraphQL, updateRefs; community discussion 213655',
    show: async (t) => {
      const before = await main(t);
      const after = await t.push('swap-work', { 'swap.txt': 's' });
      const fresh = { beforeOid: ZERO, afterOid: before };
      await updateRefs(t, [
        { name: 'refs/heads/swap-a', ...fresh },
        { name: 'refs/heads/swap-b', ...fresh },
      ]);
      const step = (name: string, beforeOid: string) => ({ name, beforeOid, afterOid: after });
      const stale = updateRefs(t, [step('refs/heads/swap-a', before), step('refs/heads/swap-b', after)]);
      const error = (await stale.catch((cause: unknown) => cause)) as { errors: { type?: string }[] };
      expect(error.errors).toHaveLength(1);
      expect(error.errors[0]!.type).toBeUndefined();
      expect([await t.ref('refs/heads/swap-a'), await t.ref('refs/heads/swap-b')]).toEqual([before, before]);
      await updateRefs(t, [step('refs/heads/swap-a', before), step('refs/heads/swap-b', before)]);
      expect([await t.ref('refs/heads/swap-a'), await t.ref('refs/heads/swap-b')]).toEqual([after, after]);
      await expect(
        updateRefs(t, [{ name: 'refs/heads/swap-a', beforeOid: after, afterOid: before }]),
        'no descendant, not forced',
      ).rejects.toThrow();
      await updateRefs(t, [{ name: 'refs/heads/swap-b', beforeOid: after, afterOid: ZERO }]);
      expect(await t.ref('refs/heads/swap-b')).toBeNull();
    },
  },
  {
    does: 'the default branch is not deleted',
    source: 'git, receive.denyDeleteCurrent; GitHub refuses it at every door',
    show: async (t) => {
      expect((await t.git('git push origin :main')).code).not.toBe(0);
      expect((await refusal(t.as('owner').rest.git.deleteRef({ ...t.at, ref: 'heads/main' }))).status).toBe(
        422,
      );
      expect(await main(t)).not.toBeNull();
    },
  },
]);
