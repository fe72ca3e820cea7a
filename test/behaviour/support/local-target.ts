import { Octokit } from '@octokit/rest';
import { createRepo } from '../../../src/local/seed.ts';
import { openWorld } from '../../contract/support/local-world.ts';
import { openClone } from './clone.ts';
import type { Need, Opener, Target } from './target.ts';

/**
 * The local GitHub: over HTTP with every answer held against GitHub's description, or in process without a socket. Git
 * goes over HTTP either way.
 */
export const localTarget = (door: 'http' | 'in process'): Opener => ({
  name: `local GitHub, ${door}`,
  // `placeOf` (src/local/moved-repos.ts) is not asked by the REST door yet.
  lacks: new Set<Need>([]),
  open: () => open(door),
});

async function open(door: 'http' | 'in process'): Promise<Target> {
  let passed = 0;
  const inProcess = door === 'in process';
  const world = await openWorld({
    validate: inProcess ? 'off' : 'throw',
    now: () => Date.now() + passed,
    inProcess,
  });
  const { github } = world;
  const clone = await openClone(world.remote(world.tokens.owner));
  const wire: typeof fetch = inProcess ? github.fetch : fetch;
  const clients = {
    owner: world.asOwner,
    writer: world.asWriter,
    reader: world.asReader,
    app: world.asApp,
    jwt: world.asJwt,
    anonymous: new Octokit({ baseUrl: `${github.url}/api/v3`, request: { fetch: wire }, log: SILENT }),
  };
  const token: Target['token'] = async (role) =>
    role === 'app'
      ? ((await world.asApp.auth({ type: 'installation' })) as { token: string }).token
      : world.tokens[role];
  let others = 0;
  return {
    owner: 'acme',
    repo: 'demo',
    at: { owner: 'acme', repo: 'demo' },
    appId: world.app.id,
    installationId: world.installation.id,
    as: (role) => clients[role],
    asToken: (value) => world.as(value),
    ask: async (path, { role, token: given, method = 'GET', body, headers = {} } = {}) => {
      const secret = given ?? (role && role !== 'jwt' && role !== 'anonymous' ? await token(role) : null);
      return wire(`${github.url}/api/v3${path}`, {
        method,
        redirect: 'manual',
        headers: { ...(secret ? { authorization: `Bearer ${secret}` } : {}), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    },
    token,
    jobToken: (permissions) => github.store.createJobToken({ repo: world.repo, permissions, runId: 1 }),
    otherRepository: async () => {
      others += 1;
      return (await createRepo(github.store, { owner: world.owner, name: `other-${others}` })).name;
    },
    pass: (milliseconds) => {
      passed += milliseconds;
    },
    gitUrl: world.remote,
    git: clone.git,
    push: clone.push,
    ref: (name) => world.repo.git.ref(name),
    settle: () => github.deliveries.idle(),
    close: async () => {
      await clone.close();
      await world.close();
    },
  };
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
