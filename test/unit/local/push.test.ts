import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ruleset } from '../../../src/local/records/ruleset.ts';
import { type LocalWorld, openWorld } from '../../contract/support/local-world.ts';

const r = { owner: 'acme', repo: 'demo' };
const ACTIONS_APP = 15_368;
let world: LocalWorld;

beforeEach(async () => {
  world = await openWorld({ validate: 'off' });
  await world.sh(`git clone -q "${world.remote(world.tokens.owner)}" w`);
});

afterEach(async () => {
  await world.close();
});

const ref = (name: string) => world.repo.git.ref(name);

/** A commit that changes one file, made in the clone; answers its id. */
async function commit(path: string, message = 'change'): Promise<string> {
  const made = await world.sh(
    `mkdir -p "$(dirname ${path})" && echo "${message} $RANDOM" >> ${path} && git add . && git commit -q -m "${message}" && git rev-parse HEAD`,
    'w',
  );
  return made.out.trim();
}

const push = (token: string, ...args: string[]) =>
  world.sh(`git push "${world.remote(token)}" ${args.join(' ')}`, 'w');

async function appToken(permissions?: Record<string, 'read' | 'write'>): Promise<string> {
  const made = await world.asJwt.rest.apps.createInstallationAccessToken({
    installation_id: world.installation.id,
    ...(permissions ? { permissions } : {}),
  });
  return made.data.token;
}

const jobToken = (permissions: Record<string, 'read' | 'write'>) =>
  world.github.store.createJobToken({ repo: world.repo, permissions, runId: 1 });

function rule(
  include: readonly string[],
  rules: Ruleset['rules'],
  bypass = true,
  target: 'branch' | 'tag' = 'branch',
) {
  const id = world.repo.rulesets.size + 1;
  world.repo.rulesets.set(id, {
    id,
    nodeId: `RRS_${id}`,
    name: `rule ${id}`,
    target,
    enforcement: 'active',
    include,
    exclude: [],
    rules,
    bypassActors: bypass
      ? [{ actor_id: world.app.id, actor_type: 'Integration', bypass_mode: 'always' }]
      : [],
    createdAt: 0,
    updatedAt: 0,
  });
}

describe('who may push', () => {
  it('asks for credentials, refuses wrong ones and readers, lets writers', async () => {
    const oid = await commit('a.txt');
    const plain = `http://127.0.0.1:${world.github.port}/acme/demo.git`;
    expect((await world.sh(`git push ${plain} HEAD:x`, 'w')).out).toContain('could not read Username');
    expect((await push('ghp_wrong', 'HEAD:x')).out).toContain('Authentication failed');
    expect((await push(world.tokens.reader, 'HEAD:x')).out).toContain('403');
    expect(await ref('refs/heads/x')).toBeNull();
    expect((await push(world.tokens.writer, 'HEAD:x')).code).toBe(0);
    expect(await ref('refs/heads/x')).toBe(oid);
  });

  it('needs contents:write of app and job tokens', async () => {
    await commit('a.txt');
    expect((await push(await appToken({ contents: 'read' }), 'HEAD:x')).out).toContain('403');
    expect((await push(jobToken({ contents: 'read' }), 'HEAD:x')).out).toContain('403');
    expect((await push(jobToken({ contents: 'write' }), 'HEAD:x')).code).toBe(0);
    expect((await push(await appToken(), 'HEAD:y')).code).toBe(0);
  });

  it('needs workflows:write for commits that touch workflow files, whoever else may have pushed them', async () => {
    await commit('.github/workflows/ci.yml');
    const without = await appToken({ contents: 'write' });
    const refused = await push(without, 'HEAD:x');
    expect(refused.out).toContain('without `workflows` permission');
    expect(await ref('refs/heads/x')).toBeNull();
    expect((await push(jobToken({ contents: 'write' }), 'HEAD:x')).out).toContain('workflow');
    expect((await push(await appToken(), 'HEAD:x')).code).toBe(0);
    expect((await push(without, 'HEAD:y')).code, 'the commits are known now').toBe(0);
  });
});

describe('what a push may do', () => {
  it('shows a private repository to nobody without rights', async () => {
    world.repo.private = true;
    const plain = `http://127.0.0.1:${world.github.port}/acme/demo.git`;
    expect((await world.sh(`git ls-remote ${plain}`)).code).not.toBe(0);
    expect((await world.sh(`git ls-remote "${world.remote(world.tokens.reader)}"`)).out).toContain(
      'not found',
    );
    expect((await world.sh(`git ls-remote "${world.remote(world.tokens.writer)}"`)).code).toBe(0);
  });

  it('moves all refs of an atomic push or none', async () => {
    const oid = await commit('a.txt');
    const lease = '--force-with-lease=refs/heads/b:1234567890123456789012345678901234567890';
    const stale = await push(
      world.tokens.writer,
      '--atomic',
      lease,
      'HEAD:refs/heads/a',
      'HEAD:refs/heads/b',
    );
    expect(stale.code).not.toBe(0);
    expect([await ref('refs/heads/a'), await ref('refs/heads/b')]).toEqual([null, null]);
    const fresh = '--force-with-lease=refs/heads/b:';
    const good = await push(
      world.tokens.writer,
      '--atomic',
      fresh,
      'HEAD:refs/heads/a',
      'HEAD:refs/heads/b',
      'HEAD:refs/ccd/x',
    );
    expect(good.code, good.out).toBe(0);
    expect([await ref('refs/heads/a'), await ref('refs/heads/b'), await ref('refs/ccd/x')]).toEqual([
      oid,
      oid,
      oid,
    ]);
  });

  it('lets one of many racing pushes win', async () => {
    await commit('a.txt');
    const tries = ['p', 'q', 'r', 's'].map(async (name) => {
      await world.sh(`cp -r w ${name} && cd ${name} && git commit -q --allow-empty -m ${name}`);
      const lease = '--force-with-lease=refs/heads/race:';
      return world.sh(
        `git push --atomic ${lease} "${world.remote(world.tokens.writer)}" HEAD:refs/heads/race`,
        name,
      );
    });
    const codes = (await Promise.all(tries)).map((one) => one.code);
    expect(codes.filter((code) => code === 0)).toHaveLength(1);
  });

  it('keeps refs/pull for the server, takes other namespaces, refuses odd names and the loss of trunk', async () => {
    await commit('a.txt');
    expect((await push(world.tokens.owner, 'HEAD:refs/pull/1/head')).out).toContain(
      'deny updating a hidden ref',
    );
    expect((await push(world.tokens.owner, 'HEAD:refs/one')).out).toContain('funny refname');
    expect((await push(world.tokens.owner, 'HEAD:refs/notes/x')).code).toBe(0);
    expect((await push(world.tokens.owner, ':main')).out).toContain('refusing to delete the current branch');
  });

  it('refuses a branch below a branch, alone and in an atomic push', async () => {
    await commit('a.txt');
    await push(world.tokens.owner, 'HEAD:refs/heads/d');
    const conflict = await push(world.tokens.owner, 'HEAD:refs/heads/d/e', 'HEAD:refs/heads/f');
    expect(conflict.out).toContain('failed to update ref');
    expect(await ref('refs/heads/f')).not.toBeNull();
    const atomic = await push(world.tokens.owner, '--atomic', 'HEAD:refs/heads/d/e', 'HEAD:refs/heads/g');
    expect(atomic.code).not.toBe(0);
    expect(await ref('refs/heads/g')).toBeNull();
  });

  it('forgets the objects of a refused push', async () => {
    const oid = await commit('.github/workflows/x.yml');
    await push(await appToken({ contents: 'write' }), 'HEAD:x');
    expect(await world.repo.git.object(oid)).toBeNull();
  });

  it('serves shallow, filtered and by-oid fetches, and pull request heads', async () => {
    const oid = await commit('a.txt');
    await push(world.tokens.owner, 'HEAD:refs/ccd/kept');
    const url = world.remote(world.tokens.reader);
    expect(
      (await world.sh(`git clone -q --depth 1 --filter=blob:none --no-checkout ${url} shallow`)).code,
    ).toBe(0);
    const byOid = await world.sh(
      `git init -q f && cd f && git fetch -q ${url} ${oid} && git cat-file -t ${oid}`,
    );
    expect(byOid.out.trim()).toBe('commit');
    await push(world.tokens.owner, 'HEAD:feature');
    await world.asApp.rest.pulls.create({ ...r, title: 'P', head: 'feature', base: 'main' });
    expect((await world.sh(`git ls-remote ${url} refs/pull/1/head`)).out).toContain(oid);
  });
});

describe('rulesets hold at every door', () => {
  it('lets only the bypassing app create, update, delete', async () => {
    rule(
      ['refs/heads/ccd', 'refs/heads/ccd/*', 'refs/heads/ccd/**/*', '~DEFAULT_BRANCH'],
      [{ type: 'creation' }, { type: 'update' }, { type: 'deletion' }],
    );
    const oid = await commit('a.txt');
    for (const name of ['ccd/a', 'ccd/a/b', 'main']) {
      const refused = await push(world.tokens.owner, `HEAD:refs/heads/${name}`);
      expect(refused.out, name).toContain('push declined due to repository rule violations');
      expect(refused.out).toContain('GH013: Repository rule violations found');
      expect((await push(jobToken({ contents: 'write' }), `HEAD:refs/heads/${name}`)).code, name).not.toBe(0);
    }
    expect((await push(world.tokens.owner, 'HEAD:refs/heads/ccdx')).code).toBe(0);
    expect((await push(await appToken(), 'HEAD:refs/heads/ccd/a')).code).toBe(0);
    const viaRest = world.asOwner.rest.git.createRef({ ...r, ref: 'refs/heads/ccd/z', sha: oid });
    await expect(viaRest).rejects.toThrow('Repository rule violations found');
    await expect(world.asOwner.rest.git.deleteRef({ ...r, ref: 'heads/ccd/a' })).rejects.toThrow(
      'Cannot delete',
    );
    const force = { ...r, ref: 'heads/ccd/a', sha: (await ref('refs/heads/main'))!, force: true };
    await expect(world.asOwner.rest.git.updateRef(force)).rejects.toThrow('Cannot update');
  });

  it('refuses per ref, and all of an atomic push', async () => {
    rule(['refs/heads/locked'], [{ type: 'creation' }], false);
    const oid = await commit('a.txt');
    const mixed = await push(world.tokens.owner, 'HEAD:refs/heads/locked', 'HEAD:refs/heads/free');
    expect(mixed.out).toContain('rule violations');
    expect([await ref('refs/heads/locked'), await ref('refs/heads/free')]).toEqual([null, oid]);
    await push(world.tokens.owner, '--atomic', 'HEAD:refs/heads/locked', 'HEAD:refs/heads/other');
    expect(await ref('refs/heads/other')).toBeNull();
  });

  it('refuses forced pushes and merge commits where asked', async () => {
    rule(['refs/heads/main'], [{ type: 'non_fast_forward' }, { type: 'required_linear_history' }], false);
    await commit('a.txt');
    expect((await push(world.tokens.owner, 'HEAD:main')).code).toBe(0);
    await world.sh('git reset -q --hard HEAD~1', 'w');
    await commit('b.txt');
    expect((await push(world.tokens.owner, '--force', 'HEAD:main')).out).toContain('Cannot force-push');
    await world.sh('git fetch -q origin && git merge -q --no-edit origin/main', 'w');
    expect((await push(world.tokens.owner, 'HEAD:main')).out).toContain('must not contain merge commits');
  });

  it('wants required checks on exactly the pushed commit, from the pinned app', async () => {
    const checks = [{ context: 'ccd / landing', integration_id: world.app.id }];
    rule(
      ['~DEFAULT_BRANCH'],
      [{ type: 'required_status_checks', parameters: { required_status_checks: checks } }],
      false,
    );
    const oid = await commit('a.txt');
    await push(world.tokens.owner, 'HEAD:queue');
    expect((await push(world.tokens.owner, 'HEAD:main')).out).toContain(
      'Required status check "ccd / landing" is expected.',
    );
    const byJob = world.as(jobToken({ checks: 'write', contents: 'read' }));
    const forged = await byJob.rest.checks.create({
      ...r,
      name: 'ccd / landing',
      head_sha: oid,
      conclusion: 'success',
    });
    expect(forged.data.app?.id).toBe(ACTIONS_APP);
    expect((await push(world.tokens.owner, 'HEAD:main')).code, 'of another app').not.toBe(0);
    await world.asApp.rest.checks.create({
      ...r,
      name: 'ccd / landing',
      head_sha: oid,
      conclusion: 'success',
    });
    const later = await commit('b.txt');
    await push(world.tokens.owner, 'HEAD:queue2');
    expect((await push(world.tokens.owner, 'HEAD:main')).code, 'a child of the checked commit').not.toBe(0);
    expect((await push(world.tokens.owner, `${oid}:main`)).code).toBe(0);
    await world.asApp.rest.checks.create({
      ...r,
      name: 'ccd / landing',
      head_sha: later,
      conclusion: 'failure',
    });
    expect((await push(world.tokens.owner, `${later}:main`)).out).toContain('is failing');
  });

  it('covers tags by their own rulesets', async () => {
    rule(['~ALL'], [{ type: 'creation' }], true, 'tag');
    await commit('a.txt');
    await world.sh('git tag v1', 'w');
    expect((await push(world.tokens.owner, 'v1')).code).not.toBe(0);
    expect((await push(world.tokens.owner, 'HEAD:v1')).code, 'a branch of that name').not.toBe(128);
    expect((await push(await appToken(), 'refs/tags/v1')).code).toBe(0);
  });
});
