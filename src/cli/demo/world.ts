import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { webhookPath } from '../../app/serve.ts';
import { createGitHubClient, type GitHubClient } from '../../github/client.ts';
import { systemClock } from '../../host/clock.ts';
import { createActions, type LocalActions } from '../../local/actions/actions.ts';
import { mountPages } from '../../local/pages/mount-pages.ts';
import type { App, User } from '../../local/records/identity.ts';
import type { Repo } from '../../local/records/repository.ts';
import {
  addCollaborator,
  createApp,
  createUser,
  createUserToken,
  importRepository,
  installApp,
} from '../../local/seed.ts';
import { type LocalGitHub, start } from '../../local/server.ts';
import { type AppDeath, type AppProcess, startAppProcess } from './app-process.ts';

export interface WorldOptions {
  /** A folder of the world's own, which the caller makes and removes. */
  readonly dir: string;
  /** A git repository whose HEAD is imported. */
  readonly source: string;
  readonly root: string;
  readonly cli: string;
  /** Path of the executable that stands where `claude` would. */
  readonly agent: string;
  /** Environment of the runner's jobs, and which of its names the agent may see. */
  readonly agentEnv: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly validate?: 'off' | 'throw' | 'collect';
  readonly appManifest: string;
  readonly port?: number;
}

/** A whole GitHub with one repository, the app installed on it, two runners, and people. */
export interface World {
  readonly github: LocalGitHub;
  readonly actions: LocalActions;
  readonly repo: Repo;
  readonly app: App;
  readonly owner: string;
  readonly name: string;
  /** Speaks as the maintainer, who may administer. */
  readonly maintainer: GitHubClient;
  readonly maintainerToken: string;
  /** Another person with write access, who had no part in anything. */
  readonly reviewer: GitHubClient;
  /** Somebody without write access. */
  readonly stranger: GitHubClient;
  /** Settings of an app process. */
  appEnv(extra?: Readonly<Record<string, string>>): Record<string, string>;
  startApp(name?: string, extra?: Readonly<Record<string, string>>): Promise<AppProcess>;
  /** The first app process that ended though nobody told it to. */
  deadApp(): AppDeath | null;
  /** Ends all that the world started. */
  close(): Promise<void>;
}

const webhookSecret = 'local-demonstration-secret';

/** Builds the world on a loopback port. Nothing of it leaves this machine. */
export async function createWorld(options: WorldOptions): Promise<World> {
  const github = await start({
    dataDir: join(options.dir, 'github'),
    port: options.port ?? 0,
    validate: options.validate ?? 'off',
  });
  const actions = createActions(github);
  mountPages(github, actions);
  const { store } = github;
  const maintainer = createUser(store, 'maintainer');
  const repo = await importRepository(store, options.source, { owner: maintainer, name: 'project' });
  const app = installOwnApp(github, maintainer, repo, options.appManifest);
  const people = seedPeople(github, repo, maintainer);
  setVariables(repo, options);
  startRunners(actions, options);
  const running: AppProcess[] = [];
  const appEnv = (extra: Readonly<Record<string, string>> = {}) => ({
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: options.dir,
    TMPDIR: options.dir,
    APP_ID: String(app.id),
    PRIVATE_KEY: app.privateKey,
    WEBHOOK_SECRET: webhookSecret,
    PORT: '0',
    CCD_API_URL: `${github.url}/api/v3`,
    CCD_GIT_URL: github.url,
    CCD_DATA: join(options.dir, 'app'),
    CCD_SWEEP_MS: '5000',
    CCD_POLL_MS: '1000',
    CCD_REST_MS: '50',
    CCD_WRITE_GAP_MS: '0',
    CCD_TAKEOVER_MS: '1000',
    ...extra,
  });
  return {
    github,
    actions,
    repo,
    app,
    owner: maintainer.login,
    name: repo.name,
    ...people,
    appEnv,
    startApp: async (name = 'app', extra = {}) => {
      const dir = join(options.dir, name);
      await mkdir(dir, { recursive: true });
      const started = await startAppProcess({
        cli: options.cli,
        dir,
        name,
        env: appEnv({ CCD_DATA: join(dir, 'data'), ...extra }),
      });
      running.push(started);
      app.webhookUrl = `http://127.0.0.1:${started.port}${webhookPath}`;
      return started;
    },
    deadApp: () => running.map((one) => one.death()).find((death) => death !== null) ?? null,
    close: async () => {
      await Promise.all(running.map((one) => one.stop()));
      await actions.close();
      await github.close();
    },
  };
}

function installOwnApp(github: LocalGitHub, owner: User, repo: Repo, manifest: string): App {
  const { name, default_permissions, default_events } = parse(manifest) as {
    name: string;
    default_permissions: Record<string, 'read' | 'write'>;
    default_events: string[];
  };
  const app = createApp(github.store, {
    slug: name,
    owner,
    permissions: default_permissions,
    events: default_events,
    webhookSecret,
  });
  installApp(github.store, app, owner, [repo]);
  return app;
}

function seedPeople(github: LocalGitHub, repo: Repo, maintainer: User) {
  const { store } = github;
  const reviewer = createUser(store, 'reviewer');
  const stranger = createUser(store, 'stranger');
  addCollaborator(repo, reviewer, 'write');
  const maintainerToken = createUserToken(store, maintainer);
  return {
    maintainerToken,
    maintainer: personClient(github, maintainerToken),
    reviewer: personClient(github, createUserToken(store, reviewer)),
    stranger: personClient(github, createUserToken(store, stranger)),
  };
}

export function personClient(github: LocalGitHub, token: string): GitHubClient {
  return createGitHubClient({
    baseUrl: `${github.url}/api/v3`,
    token: async () => token,
    clock: systemClock,
    random: Math.random,
    log: { debug: () => undefined, warn: () => undefined },
    userAgent: 'a person',
    writeGapMs: 0,
  });
}

function setVariables(repo: Repo, options: WorldOptions): void {
  const variables = {
    CCD_CLAUDE: options.agent,
    CCD_AGENT_ENVIRONMENT: Object.keys(options.agentEnv).join(' '),
    CCD_STOP_POLL_SECONDS: '1',
    CCD_FACTS_RUNNER: '["self-hosted","ccd-facts"]',
    ...options.variables,
  };
  for (const [name, value] of Object.entries(variables)) repo.variables.set(name, value);
  for (const [name, value] of Object.entries(options.secrets ?? {})) repo.secrets.set(name, value);
}

/** Workers and facts never share a runner. */
function startRunners(actions: LocalActions, options: WorldOptions): void {
  const actionMap = { 'ccd-dev/ccd': options.root };
  actions.startRunner({
    name: 'worker',
    labels: ['ccd'],
    concurrency: 3,
    workDir: join(options.dir, 'runner-worker'),
    actionMap,
    env: options.agentEnv,
  });
  actions.startRunner({
    name: 'facts',
    labels: ['ccd-facts'],
    concurrency: 3,
    workDir: join(options.dir, 'runner-hosted'),
    actionMap,
  });
}
