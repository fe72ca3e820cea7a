import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import type { Repo } from '../../src/local/records/repository.ts';
import { createApp, createRepo, createUser, createUserToken, installApp } from '../../src/local/seed.ts';
import { type LocalGitHub, open, type StartOptions, start } from '../../src/local/server.ts';

const PERMISSIONS = {
  actions: 'write',
  administration: 'write',
  checks: 'write',
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  statuses: 'write',
} as const;

/** A local GitHub with one repository of one commit, its owner and an installed app. */
export interface BenchWorld {
  readonly github: LocalGitHub;
  readonly repo: Repo;
  readonly asOwner: Octokit;
  readonly asApp: Octokit;
  /** Id of the commit on `main`. */
  readonly trunk: string;
  readonly dataDir: string;
  close(): Promise<void>;
}

export async function openBenchWorld(
  door: 'in-process' | 'http',
  options: Partial<StartOptions> = {},
): Promise<BenchWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'ccd-bench-'));
  const dataDir = join(folder, 'data');
  const github = await (door === 'http' ? start : open)({ dataDir, ...options });
  const { store } = github;
  const owner = createUser(store, 'acme', 'Organization');
  const repo = await createRepo(store, { owner, name: 'demo' });
  const app = createApp(store, { slug: 'ccd', owner, permissions: PERMISSIONS });
  const installation = installApp(store, app, owner);
  const baseUrl = `${store.origin}/api/v3`;
  const request = door === 'http' ? {} : { fetch: github.fetch };
  const asOwner = new Octokit({ baseUrl, auth: createUserToken(store, owner), request });
  const auth = { appId: app.id, privateKey: app.privateKey, installationId: installation.id };
  const asApp = new Octokit({ baseUrl, authStrategy: createAppAuth, auth, request });
  const trunk = await firstCommit(repo);
  const close = async () => {
    await github.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { github, repo, asOwner, asApp, trunk, dataDir, close };
}

async function firstCommit(repo: Repo): Promise<string> {
  const run = async (args: readonly string[], input = ''): Promise<string> => {
    const env = {
      GIT_AUTHOR_NAME: 'Seed',
      GIT_AUTHOR_EMAIL: 'seed@example.com',
      GIT_COMMITTER_NAME: 'Seed',
      GIT_COMMITTER_EMAIL: 'seed@example.com',
    };
    const done = await repo.git.run(args, { input, env });
    if (done.code !== 0) throw new Error(done.stderr);
    return done.stdout.toString('utf8').trim();
  };
  const blob = await run(['hash-object', '-w', '--stdin'], 'one\n');
  const tree = await run(['mktree'], `100644 blob ${blob}\ta.txt\n`);
  const commit = await run(['commit-tree', tree, '-m', 'First']);
  await run(['update-ref', 'refs/heads/main', commit]);
  return commit;
}
