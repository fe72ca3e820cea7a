import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import type { App, Installation, Permissions, User } from '../../../src/local/records/identity.ts';
import type { Repo } from '../../../src/local/records/repository.ts';
import {
  addCollaborator,
  createApp,
  createUser,
  createUserToken,
  importRepository,
  installApp,
} from '../../../src/local/seed.ts';
import { type LocalGitHub, type StartOptions, start } from '../../../src/local/server.ts';

interface Shell {
  readonly code: number;
  readonly out: string;
}

interface ReceivedHook {
  readonly event: string;
  readonly guid: string;
  readonly signature: string;
  readonly body: string;
}

/** A local GitHub with an organization, people, a repository of one commit, and an installed app. */
export interface LocalWorld {
  readonly github: LocalGitHub;
  readonly dir: string;
  readonly owner: User;
  readonly writer: User;
  readonly reader: User;
  readonly tokens: { readonly owner: string; readonly writer: string; readonly reader: string };
  readonly repo: Repo;
  readonly app: App;
  readonly installation: Installation;
  /** The app by its installation; and by its JWT alone. */
  readonly asApp: Octokit;
  readonly asJwt: Octokit;
  readonly asOwner: Octokit;
  readonly asWriter: Octokit;
  readonly asReader: Octokit;
  readonly hooks: ReceivedHook[];
  as(token: string): Octokit;
  /** Address for git with a token. */
  remote(token: string): string;
  /** Runs a script in a folder below the world's own; never throws. */
  sh(script: string, folder?: string): Promise<Shell>;
  close(): Promise<void>;
}

const ALL_PERMISSIONS: Permissions = {
  actions: 'write',
  administration: 'write',
  checks: 'write',
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  statuses: 'write',
  workflows: 'write',
};

const EVENTS = [
  'check_run',
  'check_suite',
  'create',
  'delete',
  'issue_comment',
  'issue_dependencies',
  'issues',
  'pull_request',
  'pull_request_review',
  'push',
  'repository',
  'sub_issues',
  'workflow_job',
  'workflow_run',
];

const SEED = `git init -q -b main seed && cd seed && git config user.email seed@example.com && git config user.name Seed
printf 'one\\n' > a.txt && mkdir src && printf 'x\\n' > src/b.txt && git add . && git commit -q -m 'First commit'`;

export async function openWorld(
  options: Partial<StartOptions> & {
    readonly permissions?: Permissions;
    /** Clients reach the API without a socket. */
    readonly inProcess?: boolean;
  } = {},
): Promise<LocalWorld> {
  const dir = await mkdtemp(join(tmpdir(), 'ccd-local-'));
  const sh = shellIn(dir);
  const { permissions, inProcess = false, ...rest } = options;
  const github = await start({ dataDir: join(dir, 'data'), validate: 'throw', ...rest });
  const { store } = github;
  const receiver = await listenForHooks();
  const owner = createUser(store, 'acme', 'Organization');
  const writer = createUser(store, 'wendy');
  const reader = createUser(store, 'ruth');
  const repo = await importRepository(store, await seedBundle(), { owner, name: 'demo' });
  addCollaborator(repo, writer, 'write');
  const app = createApp(store, {
    slug: 'ccd',
    owner,
    permissions: permissions ?? ALL_PERMISSIONS,
    events: EVENTS,
    webhookUrl: receiver.url,
    webhookSecret: 'secret',
  });
  const installation = installApp(store, app, owner);
  const baseUrl = `${github.url}/api/v3`;
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const request = inProcess ? { fetch: github.fetch } : {};
  const common = { baseUrl, log: quiet, request };
  const as = (token: string) => new Octokit({ ...common, auth: token });
  const auth = { appId: app.id, privateKey: app.privateKey };
  const byApp = (extra: object) =>
    new Octokit({ ...common, authStrategy: createAppAuth, auth: { ...auth, ...extra } });
  const tokens = {
    owner: createUserToken(store, owner),
    writer: createUserToken(store, writer),
    reader: createUserToken(store, reader),
  };
  return {
    github,
    dir,
    owner,
    writer,
    reader,
    tokens,
    repo,
    app,
    installation,
    asApp: byApp({ installationId: installation.id }),
    asJwt: byApp({}),
    asOwner: as(tokens.owner),
    asWriter: as(tokens.writer),
    asReader: as(tokens.reader),
    hooks: receiver.hooks,
    as,
    remote: (token) => `http://x-access-token:${token}@127.0.0.1:${github.port}/acme/demo.git`,
    sh,
    close: async () => {
      await github.close();
      await new Promise((resolve) => receiver.server.close(resolve));
      await rm(dir, { recursive: true, force: true });
    },
  };
}

let seed: Promise<string> | null = null;

/** One bundle per test process, from which every world's repository is made. */
function seedBundle(): Promise<string> {
  seed ??= (async () => {
    const dir = await mkdtemp(join(tmpdir(), 'ccd-seed-'));
    process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
    const made = await shellIn(dir)(`${SEED} && git bundle create -q ../seed.bundle HEAD main`);
    if (made.code !== 0) throw new Error(made.out);
    return join(dir, 'seed.bundle');
  })();
  return seed;
}

function shellIn(dir: string): LocalWorld['sh'] {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: dir,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Ann',
    GIT_AUTHOR_EMAIL: 'ann@example.com',
    GIT_COMMITTER_NAME: 'Ann',
    GIT_COMMITTER_EMAIL: 'ann@example.com',
  };
  return (script, folder = '.') =>
    new Promise((resolve) => {
      execFile(
        'bash',
        ['-c', script],
        { cwd: join(dir, folder), env, timeout: 20_000 },
        (error, out, err) => {
          resolve({ code: error ? Number(error.code ?? 1) : 0, out: `${out}${err}` });
        },
      );
    });
}

async function listenForHooks(): Promise<{ server: Server; url: string; hooks: ReceivedHook[] }> {
  const hooks: ReceivedHook[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const header = (name: string) => String(request.headers[name] ?? '');
      hooks.push({
        event: header('x-github-event'),
        guid: header('x-github-delivery'),
        signature: header('x-hub-signature-256'),
        body: Buffer.concat(chunks).toString('utf8'),
      });
      response.writeHead(202).end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, hooks, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks` };
}
