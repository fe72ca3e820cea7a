import { readFileSync } from 'node:fs';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { openClone } from './clone.ts';
import type { Need, Opener, Role, Target } from './target.ts';

/** What a person hands over to have the suite run against a real GitHub; see docs/local-github.md. */
export interface Credentials {
  /** Addresses of the API and of git, without a slash at the end. */
  readonly api: string;
  readonly web: string;
  readonly token: string;
  readonly owner: string;
  readonly app: { readonly id: number; readonly key: string } | null;
}

/**
 * Reads `CCD_BEHAVIOUR_TOKEN`, `CCD_BEHAVIOUR_OWNER` and, if given, `CCD_BEHAVIOUR_APP_ID` with `CCD_BEHAVIOUR_APP_KEY` (a
 * file), `CCD_BEHAVIOUR_API` and `CCD_BEHAVIOUR_WEB`. Null without a token and an owner.
 */
export function credentialsOf(env: NodeJS.ProcessEnv): Credentials | null {
  const { CCD_BEHAVIOUR_TOKEN: token, CCD_BEHAVIOUR_OWNER: owner } = env;
  if (!token || !owner) return null;
  const { CCD_BEHAVIOUR_APP_ID: id, CCD_BEHAVIOUR_APP_KEY: file } = env;
  return {
    api: env.CCD_BEHAVIOUR_API ?? 'https://api.github.com',
    web: env.CCD_BEHAVIOUR_WEB ?? 'https://github.com',
    token,
    owner,
    app: id && file ? { id: Number(id), key: readFileSync(file, 'utf8') } : null,
  };
}

const NEVER: readonly Need[] = ['own app', 'second account', 'job token', 'much content', 'own clock'];

/** A real GitHub: each area gets a public repository of its own, which is deleted at the end. */
export const githubTarget = (credentials: Credentials): Opener => ({
  name: new URL(credentials.web).host,
  lacks: new Set<Need>(credentials.app ? NEVER : [...NEVER, 'app']),
  open: (area) => open(credentials, area),
});

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

async function open({ api, web, token, owner, app }: Credentials, area: string): Promise<Target> {
  const common = { baseUrl: api, log: SILENT };
  const asToken = (auth: string) => new Octokit({ ...common, auth });
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
  const gitUrl = (value: string) =>
    `${web.replace('://', `://x-access-token:${value}@`)}/${owner}/${repo}.git`;
  const clone = await openClone(gitUrl(token));
  await clone.push(
    'main',
    { 'a.txt': 'one\n', 'src/b.txt': 'x\n', 'README.md': null },
    { message: 'First commit' },
  );
  const byApp = app ? await appClients(app, at, common) : null;
  const clients = new Map<Role, Octokit>([
    ['owner', asOwner],
    ['anonymous', new Octokit(common)],
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
      return fetch(`${api}${path}`, {
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

async function appClients(
  app: { id: number; key: string },
  at: { owner: string; repo: string },
  common: { baseUrl: string; log: typeof SILENT },
) {
  const auth = { appId: app.id, privateKey: app.key };
  const asJwt = new Octokit({ ...common, authStrategy: createAppAuth, auth });
  const installationId = (await asJwt.rest.apps.getRepoInstallation(at)).data.id;
  const asApp = new Octokit({
    ...common,
    authStrategy: createAppAuth,
    auth: { ...auth, installationId },
  });
  return { asJwt, asApp, installationId };
}

function never(): never {
  throw new Error('This target does not have it: the behaviour must name it among its needs.');
}
