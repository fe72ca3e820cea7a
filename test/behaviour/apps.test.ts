import { expect } from 'vitest';
import { behaviours, refusal } from './support/behaviours.ts';
import type { Target } from './support/target.ts';

type Narrowed = { repositories?: string[]; permissions?: Record<string, 'read' | 'write'> };

async function mint(t: Target, wish: Narrowed = {}) {
  const made = await t.as('jwt').rest.apps.createInstallationAccessToken({
    installation_id: t.installationId,
    ...wish,
  });
  return made.data;
}

const HOUR = 3_600_000;

behaviours('apps and their tokens', [
  {
    does: 'an installation token is opaque, long and ends within the hour',
    source: 'REST, "Create an installation access token for an app"; changelog 2026-05-15',
    needs: ['app'],
    show: async (t) => {
      const { token, expires_at } = await mint(t);
      expect(token).toMatch(/^ghs_/);
      expect(token.length).toBeGreaterThan(35);
      expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(HOUR + 60_000);
    },
  },
  {
    does: 'a token does no more than its permissions: 403 in these words',
    source: 'REST, "Troubleshooting the REST API"',
    needs: ['app'],
    show: async (t) => {
      const { token } = await mint(t, { repositories: [t.repo], permissions: { issues: 'read' } });
      const client = t.asToken(token).rest;
      expect((await client.issues.listForRepo(t.at)).status).toBe(200);
      const refused = await refusal(client.issues.create({ ...t.at, title: 'T' }));
      expect(refused).toMatchObject({ status: 403, message: 'Resource not accessible by integration' });
      const sha = (await t.ref('refs/heads/main'))!;
      const moved = await refusal(client.git.createRef({ ...t.at, ref: 'refs/heads/no', sha }));
      expect(moved.status).toBe(403);
    },
  },
  {
    does: 'asking for permissions or repositories beyond the installation is 422',
    source: 'apps/create-installation-access-token 422',
    needs: ['app'],
    show: async (t) => {
      const permissions = { organization_administration: 'write' as const };
      expect((await refusal(mint(t, { permissions }))).status).toBe(422);
      const unknown = await refusal(mint(t, { repositories: ['no-such-repository'] }));
      expect(unknown.status).toBe(422);
      expect(unknown.message).toContain('not accessible to the parent installation');
    },
  },
  {
    does: 'a token for other repositories writes nothing here',
    source: 'REST, "Create an installation access token for an app"',
    needs: ['app', 'second repository'],
    show: async (t) => {
      const other = await t.otherRepository();
      const { token } = await mint(t, { repositories: [other] });
      const listed = await t.asToken(token).rest.apps.listReposAccessibleToInstallation();
      expect(listed.data.repositories.map((one) => one.name)).toEqual([other]);
      expect((await refusal(t.asToken(token).rest.issues.create({ ...t.at, title: 'T' }))).status).toBe(403);
    },
  },
  {
    does: 'a key alone acts on nothing, an installation is no app',
    source: 'REST, "Authenticating as a GitHub App"',
    needs: ['app'],
    show: async (t) => {
      expect((await t.as('jwt').rest.apps.getAuthenticated()).data?.id).toBe(t.appId);
      const { token } = (await t.as('jwt').auth({ type: 'app' })) as { token: string };
      const acting = { token, method: 'POST', body: { title: 'T' } };
      const answer = await t.ask(`/repos/${t.owner}/${t.repo}/issues`, acting);
      expect(answer.status).toBeOneOf([401, 403]);
      // The client would take the key for this path: the token has to go by hand.
      expect((await t.ask('/app', { role: 'app' })).status).toBe(401);
    },
  },
  {
    does: 'a suspended installation gets no token, and those it has do nothing, until it is revived',
    source: 'apps/suspend-installation; octokit.rb pull 1307',
    needs: ['own app'],
    show: async (t) => {
      const installation = { installation_id: t.installationId };
      const { token } = await mint(t);
      await t.as('jwt').rest.apps.suspendInstallation(installation);
      const words = { status: 403, message: 'This installation has been suspended' };
      expect(await refusal(mint(t))).toMatchObject(words);
      expect(await refusal(t.asToken(token).rest.issues.listForRepo(t.at))).toMatchObject(words);
      expect((await t.git(`git push "${t.gitUrl(token)}" HEAD:refs/heads/no`)).code).not.toBe(0);
      await t.as('jwt').rest.apps.unsuspendInstallation(installation);
      expect((await t.asToken(token).rest.issues.listForRepo(t.at)).status).toBe(200);
    },
  },
  {
    does: 'a job’s token does what its permissions say, in its own repository alone',
    source: 'Actions, "GITHUB_TOKEN"; REST, "Troubleshooting the REST API"',
    needs: ['job token', 'second repository'],
    show: async (t) => {
      const client = t.asToken(t.jobToken({ issues: 'write' })).rest;
      const made = await client.issues.create({ ...t.at, title: 'From a job' });
      expect(made.data.user?.login).toBe('github-actions[bot]');
      const sha = (await t.ref('refs/heads/main'))!;
      expect(await refusal(client.checks.create({ ...t.at, name: 'x', head_sha: sha }))).toMatchObject({
        status: 403,
        message: 'Resource not accessible by integration',
      });
      const other = { ...t.at, repo: await t.otherRepository() };
      expect((await refusal(client.issues.create({ ...other, title: 'T' }))).status).toBe(403);
    },
  },
  {
    does: 'a token is refused once its hour is over, and bad credentials are 401',
    source: 'REST, "Create an installation access token for an app"',
    needs: ['own app', 'own clock'],
    show: async (t) => {
      const { token } = await mint(t);
      t.pass(HOUR + 1_000);
      const refused = await refusal(t.asToken(token).rest.issues.listForRepo(t.at));
      expect(refused).toMatchObject({ status: 401, message: 'Bad credentials' });
      t.pass(-HOUR - 1_000);
    },
  },
  {
    does: 'a false token is 401, whatever it asks for',
    source: 'REST, "Authenticating to the REST API"',
    show: async (t) => {
      const refused = await refusal(t.asToken('ghp_false').rest.repos.get(t.at));
      expect(refused).toMatchObject({ status: 401, message: 'Bad credentials' });
    },
  },
]);
