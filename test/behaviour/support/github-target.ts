import { readFileSync } from 'node:fs';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { openClone } from './clone.ts';
import type { Need, Opener, Role, Target } from './target.ts';

/** What a person hands over to have the suite run against github.com; see docs/local-github.md. */
interface Credentials {
  readonly token: string;
  readonly owner: string;
  readonly app: { readonly id: number; readonly key: string } | null;
}

/** Reads `CCD_BEHAVIOUR_TOKEN`, `CCD_BEHAVIOUR_OWNER` and, if given, `CCD_BEHAVIOUR_APP_ID` with `CCD_BEHAVIOUR_APP_KEY` (a file). */
export function credentialsOf(env: NodeJS.ProcessEnv): Credentials | null {
  const { CCD_BEHAVIOUR_TOKEN: token, CCD_BEHAVIOUR_OWNER: owner } = env;
  if (!token || !owner) return null;
  const { CCD_BEHAVIOUR_APP_ID: id, CCD_BEHAVIOUR_APP_KEY: file } = env;
  return { token, owner, app: id && file ? { id: Number(id), key: readFileSync(file, 'utf8') } : null };
}

const NEVER: readonly Need[] = ['own app', 'second account', 'job token', 'much content', 'own clock'];

/** github.com itself: each area gets a public repository of its own, which is deleted at the end. */
export const githubTarget = (credentials: Credentials): Opener => ({
  name: 'github.com',
  lacks: new Set<Need>(credentials.app ? NEVER : [...NEVER, 'app']),
  open: (area) => open(credentials, area),
});

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

async function open({ token, owner, app }: Credentials, area: string): Promise<Target> {
  const asToken = (auth: string) => new Octokit({ auth, log: SILENT });
  const asOwner = asToken(token);
  const made: string[] = [];
  const make = async (suffix: string): Promise<string> => {
    const name = `ccd-behaviour-${area.replaceAll(/\W+/g, '-')}-${suffix}${Date.now().toString(36)}`;
    const { data: user } = await asOwner.rest.users.getAuthenticated();
    const wish = { name, auto_init: true, private: false };
    if (user.login.toLowerCase() === owner.toLowerCase())
      await asOwner.rest.repos.createForAuthenticatedUser(wish);
    else await asOwner.rest.repos.createInOrg({ ...wish, org: owner });
    made.push(name);
    return name;
  };
  const repo = await make('');
  const at = { owner, repo };
  const gitUrl = (value: string) => `https://x-access-token:${value}@github.com/${owner}/${repo}.git`;
  const clone = await openClone(gitUrl(token));
  await clone.push(
    'main',
    { 'a.txt': 'one\n', 'src/b.txt': 'x\n', 'README.md': null },
    { message: 'First commit' },
  );
  const byApp = app ? await appClients(app, at) : null;
  const clients = new Map<Role, Octokit>([
    ['owner', asOwner],
    ['anonymous', new Octokit({ log: SILENT })],
    ...(byApp
      ? ([
          ['app', byApp.asApp],
          ['jwt', byApp.asJwt],
        ] as const)
      : []),
  ]);
  const tokenOf: Target['token'] = async (role) => {
    if (role === 'owner') return token;
    if (role !== 'app' || !byApp) return never();
    return ((await byApp.asApp.auth({ type: 'installation' })) as { token: string }).token;
  };
  return {
    owner,
    repo,
    at,
    appId: app?.id ?? 0,
    installationId: byApp?.installationId ?? 0,
    as: (role) => clients.get(role) ?? never(),
    asToken,
    ask: async (path, { role, token: given, method = 'GET', body, headers = {} } = {}) => {
      const secret = given ?? (role === 'owner' || role === 'app' ? await tokenOf(role) : null);
      return fetch(`https://api.github.com${path}`, {
        method,
        redirect: 'manual',
        headers: { ...(secret ? { authorization: `Bearer ${secret}` } : {}), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    },
    token: tokenOf,
    jobToken: never,
    otherRepository: () => make('other-'),
    pass: never,
    gitUrl,
    git: clone.git,
    push: clone.push,
    ref: async (name) => {
      const seen = await clone.git(`git ls-remote origin ${name}`);
      return /^[0-9a-f]{40}/.exec(seen.out)?.[0] ?? null;
    },
    // GitHub tells nobody when it is done: tests poll for what they expect.
    settle: async () => undefined,
    close: async () => {
      await clone.close();
      for (const name of made) await asOwner.rest.repos.delete({ owner, repo: name });
    },
  };
}

async function appClients(app: { id: number; key: string }, at: { owner: string; repo: string }) {
  const auth = { appId: app.id, privateKey: app.key };
  const asJwt = new Octokit({ authStrategy: createAppAuth, auth, log: SILENT });
  const installationId = (await asJwt.rest.apps.getRepoInstallation(at)).data.id;
  const asApp = new Octokit({ authStrategy: createAppAuth, auth: { ...auth, installationId }, log: SILENT });
  return { asJwt, asApp, installationId };
}

function never(): never {
  throw new Error('This target does not have it: the behaviour must name it among its needs.');
}
