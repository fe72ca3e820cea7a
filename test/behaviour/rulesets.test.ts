import { expect } from 'vitest';
import { behaviours, refusal } from './support/behaviours.ts';
import type { Target } from './support/target.ts';

type Rule = { type: string; parameters?: object };
type Bypass = { actor_id: number; actor_type: 'Integration'; bypass_mode: 'always' | 'pull_request' };

/** Runs something while a ruleset of the repository stands. */
async function under(
  t: Target,
  ruleset: {
    include: string[];
    exclude?: string[];
    rules: Rule[];
    bypass?: Bypass[];
    target?: 'branch' | 'tag';
  },
  run: () => Promise<void>,
): Promise<void> {
  const { include, exclude = [], rules, bypass = [], target = 'branch' } = ruleset;
  const { repos } = t.as('owner').rest;
  const made = await repos.createRepoRuleset({
    ...t.at,
    name: `rules on ${include.join()}`,
    target,
    enforcement: 'active',
    conditions: { ref_name: { include, exclude } },
    rules: rules as never,
    bypass_actors: bypass,
  });
  try {
    await run();
  } finally {
    await repos.deleteRepoRuleset({ ...t.at, ruleset_id: made.data.id });
  }
}

const push = async (t: Target, ref: string, ...more: string[]) =>
  t.git(`git push ${more.join(' ')} origin HEAD:${ref}`);

const RULES = 'Repository rule violations found';
const byApp = (t: Target, mode: Bypass['bypass_mode'] = 'always'): Bypass[] => [
  { actor_id: t.appId, actor_type: 'Integration', bypass_mode: mode },
];

const ONE_APPROVAL: Rule = {
  type: 'pull_request',
  parameters: {
    required_approving_review_count: 1,
    dismiss_stale_reviews_on_push: false,
    require_code_owner_review: false,
    require_last_push_approval: false,
    required_review_thread_resolution: false,
  },
};

async function open(t: Target, head: string): Promise<number> {
  await t.push(head, { [`${head}.txt`]: head });
  const made = await t.as('owner').rest.pulls.create({ ...t.at, head, base: 'main', title: head });
  await expect
    .poll(
      async () =>
        (await t.as('owner').rest.pulls.get({ ...t.at, pull_number: made.data.number })).data.mergeable,
      { timeout: 30_000 },
    )
    .toBe(true);
  return made.data.number;
}

behaviours('rulesets', [
  {
    does: 'creation, update and deletion can be kept to an App, by push and by API',
    source: 'documentation, "Available rules for rulesets"; reference, trunk, guard, merge queue',
    needs: ['app'],
    show: async (t) => {
      const rules = [{ type: 'creation' }, { type: 'update' }, { type: 'deletion' }];
      const include = ['refs/heads/kept', 'refs/heads/kept/*', 'refs/heads/kept/**/*'];
      await under(t, { include, rules, bypass: byApp(t) }, async () => {
        const url = t.gitUrl(await t.token('app'));
        for (const name of ['kept/a', 'kept/a-b/c']) {
          const refused = await push(t, `refs/heads/${name}`);
          expect(refused.code, name).not.toBe(0);
          expect(refused.out, name).toContain('GH013: Repository rule violations found');
          const allowed = await t.git(`git push -q "${url}" HEAD:refs/heads/${name}`);
          expect(allowed.code, allowed.out).toBe(0);
        }
        const { git } = t.as('owner').rest;
        const sha = (await t.ref('refs/heads/main'))!;
        const create = await refusal(git.createRef({ ...t.at, ref: 'refs/heads/kept/z', sha }));
        expect([create.status, create.message.startsWith(RULES)]).toEqual([422, true]);
        const remove = await refusal(git.deleteRef({ ...t.at, ref: 'heads/kept/a' }));
        expect(remove.status).toBe(422);
        const move = git.updateRef({ ...t.at, ref: 'heads/kept/a', sha, force: true });
        expect((await refusal(move)).message.startsWith(RULES)).toBe(true);
        expect((await t.as('app').rest.git.deleteRef({ ...t.at, ref: 'heads/kept/a' })).status).toBe(204);
        expect((await push(t, 'refs/heads/keptx')).code, 'not covered').toBe(0);
      });
    },
  },
  {
    does: 'patterns are fnmatch with folders, and exclusions win',
    source: 'documentation, "Creating rulesets for a repository", fnmatch syntax',
    show: async (t) => {
      const rules = [{ type: 'creation' }];
      const only = {
        include: ['refs/heads/pat/*', '~DEFAULT_BRANCH'],
        exclude: ['refs/heads/pat/free*'],
        rules,
      };
      await under(t, only, async () => {
        expect((await push(t, 'refs/heads/pat/x')).code).not.toBe(0);
        expect((await push(t, 'refs/heads/pat/x/y')).code, 'one folder deeper').toBe(0);
        expect((await push(t, 'refs/heads/pat/free-1')).code, 'excluded').toBe(0);
      });
      await under(t, { include: ['~ALL'], rules }, async () => {
        expect((await push(t, 'refs/heads/whatever')).code).not.toBe(0);
        expect((await push(t, 'refs/tags/v1')).code, 'tags have their own').toBe(0);
      });
      await under(t, { include: ['~ALL'], rules, target: 'tag' }, async () => {
        expect((await push(t, 'refs/tags/v2')).code).not.toBe(0);
      });
    },
  },
  {
    does: 'forced pushes can be shut out, of one branch of several alone',
    source: 'documentation, "Available rules for rulesets", block force pushes',
    show: async (t) => {
      const first = await t.push('straight', { 's.txt': '1' });
      await t.push('straight', { 's.txt': '2' }, { from: first });
      await under(
        t,
        { include: ['refs/heads/straight'], rules: [{ type: 'non_fast_forward' }] },
        async () => {
          const both = `${first}:refs/heads/straight ${first}:refs/heads/beside`;
          const mixed = await t.git(`git push --force origin ${both}`);
          expect(mixed.out).toContain('rule violations');
          expect([await t.ref('refs/heads/straight'), await t.ref('refs/heads/beside')]).toEqual([
            expect.not.stringMatching(first),
            first,
          ]);
          await t.git(
            `git push --atomic --force origin ${first}:refs/heads/straight ${first}:refs/heads/third`,
          );
          expect(await t.ref('refs/heads/third')).toBeNull();
        },
      );
    },
  },
  {
    does: 'a required check counts on exactly the pushed commit, and from the App that it is pinned to',
    source:
      'documentation, "Available rules for rulesets", require status checks; repos/create-repo-ruleset integration_id',
    needs: ['app'],
    show: async (t) => {
      const parameters = {
        strict_required_status_checks_policy: false,
        required_status_checks: [{ context: 'proof', integration_id: t.appId }],
      };
      const rules = [{ type: 'required_status_checks', parameters }];
      const sha = await t.push('proven', { 'proven.txt': '1' });
      const later = await t.push('proven-later', { 'proven.txt': '2' }, { from: sha });
      await t.git('git push -q origin origin/main:refs/heads/gate');
      await under(t, { include: ['refs/heads/gate'], rules }, async () => {
        const land = async (oid: string) =>
          (await t.git(`git push origin ${oid}:refs/heads/gate`)).code === 0;
        expect(await land(sha)).toBe(false);
        const forged = { ...t.at, sha, state: 'success' as const, context: 'proof' };
        await t.as('owner').rest.repos.createCommitStatus(forged);
        expect(await land(sha), 'a status of that name by a person').toBe(false);
        const good = { ...t.at, name: 'proof', conclusion: 'success' as const };
        await t.as('app').rest.checks.create({ ...good, head_sha: later });
        expect(await land(sha), 'a check on a child').toBe(false);
        await t.as('app').rest.checks.create({ ...good, head_sha: sha });
        expect(await land(sha)).toBe(true);
        await t.as('app').rest.checks.create({ ...good, head_sha: later, conclusion: 'failure' });
        expect(await land(later), 'the newest of its name fails').toBe(false);
      });
    },
  },
  {
    does: 'any job with `checks: write` writes any check under the Actions app, which no pin to another app takes',
    source: 'reference, trunk, guard, merge queue; REST, "Create a check run"',
    needs: ['job token', 'app'],
    show: async (t) => {
      const sha = await t.push('forged', { 'forged.txt': '1' });
      const client = t.asToken(t.jobToken({ checks: 'write' })).rest;
      const forged = await client.checks.create({
        ...t.at,
        name: 'pinned',
        head_sha: sha,
        conclusion: 'success',
      });
      expect(forged.data.app?.id).toBe(15_368);
      await t.git('git push -q origin origin/main:refs/heads/open-gate origin/main:refs/heads/pinned-gate');
      const rule = (integration?: number) => ({
        type: 'required_status_checks',
        parameters: {
          strict_required_status_checks_policy: false,
          required_status_checks: [
            { context: 'pinned', ...(integration ? { integration_id: integration } : {}) },
          ],
        },
      });
      await under(t, { include: ['refs/heads/pinned-gate'], rules: [rule(t.appId)] }, async () => {
        expect((await t.git(`git push origin ${sha}:refs/heads/pinned-gate`)).code).not.toBe(0);
      });
      await under(t, { include: ['refs/heads/open-gate'], rules: [rule()] }, async () => {
        expect((await t.git(`git push origin ${sha}:refs/heads/open-gate`)).code).toBe(0);
      });
    },
  },
  {
    does: 'checks of a merged pull request count on its head, and strict ones want it up to date',
    source: 'documentation, "Available rules for rulesets", require branches to be up to date',
    needs: ['app'],
    show: async (t) => {
      const number = await open(t, 'strict');
      const head = (await t.ref('refs/heads/strict'))!;
      await t.as('app').rest.checks.create({ ...t.at, name: 'ci', head_sha: head, conclusion: 'success' });
      await t.push('main', { 'moved-on.txt': 'm' });
      const rule = (strict: boolean) => ({
        type: 'required_status_checks',
        parameters: {
          strict_required_status_checks_policy: strict,
          required_status_checks: [{ context: 'ci' }],
        },
      });
      const merge = () => t.as('owner').rest.pulls.merge({ ...t.at, pull_number: number });
      await under(t, { include: ['~DEFAULT_BRANCH'], rules: [rule(true)] }, async () => {
        expect((await refusal(merge())).status).toBe(405);
      });
      await under(t, { include: ['~DEFAULT_BRANCH'], rules: [rule(false)] }, async () => {
        expect((await merge()).data.merged).toBe(true);
      });
    },
  },
  {
    does: 'a rule can ask for pull requests and approvals; bypass `pull_request` opens the button, not the push',
    source:
      'documentation, "Available rules for rulesets", require a pull request; bypass_mode of repos/create-repo-ruleset',
    needs: ['app'],
    show: async (t) => {
      const number = await open(t, 'reviewed');
      const include = ['~DEFAULT_BRANCH'];
      await under(t, { include, rules: [ONE_APPROVAL], bypass: byApp(t, 'pull_request') }, async () => {
        const direct = await t.git('git push origin origin/reviewed:refs/heads/main');
        expect(direct.out).toContain('Changes must be made through a pull request.');
        const url = t.gitUrl(await t.token('app'));
        expect((await t.git(`git push "${url}" origin/reviewed:refs/heads/main`)).code).not.toBe(0);
        const p = { ...t.at, pull_number: number };
        const unapproved = await refusal(t.as('owner').rest.pulls.merge(p));
        expect([unapproved.status, unapproved.message.startsWith(RULES)]).toEqual([405, true]);
        expect((await t.as('app').rest.pulls.merge(p)).data.merged).toBe(true);
      });
    },
  },
  {
    does: 'an approval of somebody with write access lets a pull request merge, until that person asks for changes',
    source: 'documentation, "Available rules for rulesets", required approvals',
    needs: ['second account'],
    show: async (t) => {
      const number = await open(t, 'approved');
      const p = { ...t.at, pull_number: number };
      const review = (event: 'APPROVE' | 'REQUEST_CHANGES') =>
        t.as('writer').rest.pulls.createReview({ ...p, event, body: 'so' });
      await under(t, { include: ['~DEFAULT_BRANCH'], rules: [ONE_APPROVAL] }, async () => {
        await t.as('reader').rest.pulls.createReview({ ...p, event: 'APPROVE' });
        const merge = () => t.as('owner').rest.pulls.merge(p);
        expect((await refusal(merge())).status, 'readers do not count').toBe(405);
        await review('APPROVE');
        await review('REQUEST_CHANGES');
        expect((await refusal(merge())).status).toBe(405);
        const approval = (await review('APPROVE')).data.id;
        await t.as('owner').rest.pulls.dismissReview({ ...p, review_id: approval, message: 'not so fast' });
        expect((await refusal(merge())).status, 'a dismissed approval').toBe(405);
        await review('APPROVE');
        expect((await merge()).data.merged).toBe(true);
      });
    },
  },
]);
