import { generateKeyPairSync } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CcdError } from '../domain/errors.ts';
import { ACTIONS_APP_ID } from './authenticate.ts';
import { GitRepository } from './git/repository.ts';
import { type GitRun, runGit } from './git/run-git.ts';
import { nodeId } from './node-id.ts';
import type { App, Installation, Permissions, Role, User } from './records/identity.ts';
import type { Repo } from './records/repository.ts';
import type { Store } from './store.ts';

/** Creates an account. */
export function createUser(store: Store, login: string, type: User['type'] = 'User'): User {
  const id = store.nextId('user');
  const user: User = {
    id,
    nodeId: nodeId(type === 'Bot' ? 'BOT' : 'U', id),
    login,
    type,
    email: `${id}+${login}@users.noreply.github.com`,
    createdAt: store.now(),
  };
  store.users.set(id, user);
  return user;
}

/** Mints a personal token (`ghp_…`) of a user; it never expires. */
export function createUserToken(store: Store, user: User): string {
  return store.grant(`ghp_${store.randomHex(18)}`, { kind: 'user', user });
}

export interface AppOptions {
  readonly slug: string;
  readonly name?: string;
  readonly owner: User;
  readonly permissions: Permissions;
  readonly events?: readonly string[];
  readonly webhookUrl?: string | null;
  readonly webhookSecret?: string;
  readonly id?: number;
}

/** Registers a GitHub App: its key pair, bot account and webhook. */
export function createApp(store: Store, options: AppOptions): App {
  const id = options.id ?? store.nextId('app');
  const keys = id === ACTIONS_APP_ID ? { privateKey: '', publicKey: '' } : newKeys();
  const app: App = {
    id,
    nodeId: nodeId('A', id),
    slug: options.slug,
    name: options.name ?? options.slug,
    clientId: `Iv23li${store.randomHex(7)}`,
    owner: options.owner,
    bot: createUser(store, `${options.slug}[bot]`, 'Bot'),
    privateKey: keys.privateKey,
    publicKey: keys.publicKey,
    webhookSecret: options.webhookSecret ?? store.randomHex(20),
    webhookUrl: options.webhookUrl ?? null,
    permissions: options.permissions,
    events: options.events ?? [],
    createdAt: store.now(),
  };
  store.apps.set(id, app);
  return app;
}

const newKeys = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });

/** GitHub's own Actions app, whose bot acts for workflow tokens. Made at start. */
export function createActionsApp(store: Store): App {
  const owner = createUser(store, 'github', 'Organization');
  const slug = 'github-actions';
  return createApp(store, { slug, name: 'GitHub Actions', owner, permissions: {}, id: ACTIONS_APP_ID });
}

/** Installs an app on an account: on all of its repositories unless some are named. */
export function installApp(store: Store, app: App, account: User, repos?: readonly Repo[]): Installation {
  const installation: Installation = {
    id: store.nextId('installation'),
    app,
    account,
    repositories: repos ? new Set(repos.map((repo) => repo.id)) : 'all',
    permissions: app.permissions,
    events: app.events,
    createdAt: store.now(),
    suspendedAt: null,
    suspendedBy: null,
  };
  store.installations.set(installation.id, installation);
  return installation;
}

/** Suspends an installation in somebody's name, or revives it with null. */
export function suspendInstallation(store: Store, installation: Installation, by: User | null): void {
  installation.suspendedAt = by ? store.now() : null;
  installation.suspendedBy = by;
}

/** Gives a person a role in a repository. */
export function addCollaborator(repo: Repo, user: User, role: Role): void {
  repo.collaborators.set(user.id, role);
}

export interface RepoOptions {
  readonly owner: User;
  readonly name: string;
  readonly private?: boolean;
  readonly description?: string;
  /** `main` unless given. */
  readonly defaultBranch?: string;
}

/** Whole configuration of a bare repository here: nothing of the source's comes along. */
const REPO_CONFIG = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\tlogAllRefUpdates = false
[uploadpack]
\tallowFilter = true
\tallowAnySHA1InWant = true
[gc]
\tauto = 0
`;

/** Creates an empty repository. */
export async function createRepo(store: Store, options: RepoOptions): Promise<Repo> {
  return inNewDir(store, options, async (dir) => {
    await git(
      ['init', '--quiet', '--bare', `--initial-branch=${options.defaultBranch ?? 'main'}`, dir],
      store.dataDir,
    );
    return register(store, options, dir);
  });
}

/**
 * Creates a repository from another one, a bundle file or a work tree: branches and tags come over as they are.
 * The default branch is `defaultBranch`, or what the source's HEAD names.
 */
export async function importRepository(store: Store, source: string, options: RepoOptions): Promise<Repo> {
  return inNewDir(store, options, async (dir) => {
    await git(['clone', '--quiet', '--bare', '--no-local', source, dir], store.dataDir);
    if (options.defaultBranch)
      await writeFile(join(dir, 'HEAD'), `ref: refs/heads/${options.defaultBranch}\n`);
    return register(store, options, dir);
  });
}

/** Makes a repository in a folder of its own, or leaves none. */
async function inNewDir(
  store: Store,
  options: RepoOptions,
  make: (dir: string) => Promise<Repo>,
): Promise<Repo> {
  const dir = await newGitDir(store, options);
  try {
    return await make(dir);
  } catch (error) {
    await rm(dir, { recursive: true, force: true });
    throw error;
  }
}

/** A folder that was not there: another repository, renamed since, may have one of this name. */
async function newGitDir(store: Store, options: RepoOptions): Promise<string> {
  const parent = join(store.dataDir, 'repos', options.owner.login);
  await mkdir(parent, { recursive: true });
  for (let count = 1; ; count += 1) {
    const dir = join(parent, `${options.name}${count === 1 ? '' : `~${count}`}.git`);
    if (await claim(dir)) return dir;
  }
}

async function claim(dir: string): Promise<boolean> {
  try {
    await mkdir(dir);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function register(store: Store, options: RepoOptions, dir: string): Promise<Repo> {
  await writeFile(join(dir, 'config'), REPO_CONFIG);
  const id = store.nextId('repository');
  const now = store.now();
  const bare = new GitRepository(dir);
  const repo: Repo = {
    id,
    nodeId: nodeId('R', id),
    owner: options.owner,
    name: options.name,
    description: options.description ?? null,
    private: options.private ?? false,
    archived: false,
    formerNames: new Set(),
    createdAt: now,
    updatedAt: now,
    pushedAt: now,
    git: bare,
    defaultBranch: await bare.defaultBranch(),
    collaborators: new Map(),
    labels: [],
    issues: new Map(),
    nextNumber: 1,
    formerIssues: new Map(),
    rulesets: new Map(),
    checkSuites: [],
    checkRuns: [],
    statuses: [],
    variables: new Map(),
    secrets: new Map(),
  };
  store.repos.set(id, repo);
  return repo;
}

async function git(args: readonly string[], cwd: string): Promise<GitRun> {
  const run = await runGit(args, { cwd });
  if (run.code === 0) return run;
  throw new CcdError({
    code: 'local.git-failed',
    message: `git ${args[0]} failed: ${run.stderr.trim()}`,
    remedy: 'Check the path of the repository to import.',
    audience: 'operator',
  });
}
