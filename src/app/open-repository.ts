import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openClone } from '../git/bare-clone.ts';
import { type AppTokens, createAppTokens } from '../github/auth.ts';
import { createGitHubClient, type GitHubClient } from '../github/client.ts';
import { observeApp } from '../github/observe/repository.ts';
import type { RepoName } from '../github/repo-name.ts';
import { randomIds } from '../host/ids.ts';
import type { Log } from '../host/log.ts';
import type { StaticJudge } from './compute/static-judge.ts';
import type { AppConfig } from './config.ts';
import { newMemory, type RepositoryContext } from './context.ts';
import { createHeardClock, type HeardClock } from './heard-clock.ts';

export const userAgent = 'ccd';

/** What all repositories of one app share. */
export interface AppDoors {
  readonly config: AppConfig;
  readonly tokens: AppTokens;
  /** Speaks as the app itself, for its installations. */
  readonly appClient: GitHubClient;
  readonly log: Log;
  readonly clock: HeardClock;
  readonly judge: StaticJudge;
  readonly checkpoint: (name: string) => Promise<void>;
}

export function openDoors(
  config: AppConfig,
  log: Log,
  judge: StaticJudge,
  checkpoint: AppDoors['checkpoint'],
): AppDoors {
  const { appId, privateKey, apiUrl } = config;
  const clock = createHeardClock();
  const tokens = createAppTokens({
    appId,
    privateKey,
    baseUrl: apiUrl,
    clock,
    log: quietLog(log),
    fetch: clock.hearing(globalThis.fetch),
  });
  const appClient = clientFor({ config, log, clock }, () => tokens.app());
  return { config, tokens, appClient, log, clock, judge, checkpoint };
}

export function clientFor(
  { config, log, clock }: Pick<AppDoors, 'config' | 'log' | 'clock'>,
  token: () => Promise<string>,
): GitHubClient {
  return createGitHubClient({
    baseUrl: config.apiUrl,
    token,
    clock,
    fetch: clock.hearing(globalThis.fetch),
    random: Math.random,
    log: quietLog(log),
    userAgent,
    writeGapMs: config.writeGapMs,
  });
}

/** Opens everything that the passes over one repository need. */
export async function openRepository(
  doors: AppDoors,
  installationId: number,
  name: RepoName,
): Promise<RepositoryContext> {
  const { config, log } = doors;
  const token = doors.tokens.installation(installationId);
  const client = clientFor(doors, token);
  const folder = join(config.dataDir, name.owner, name.name);
  const workDir = join(folder, 'work');
  await mkdir(workDir, { recursive: true });
  const clone = await openClone({
    dir: join(folder, 'clone.git'),
    remoteUrl: `${config.gitUrl.replace(/\/+$/, '')}/${name.owner}/${name.name}.git`,
    token,
  });
  return {
    name,
    client,
    clone,
    app: await observeApp(doors.appClient, client),
    clock: doors.clock,
    log,
    instance: `i${randomIds.marker().slice(0, 16)}`,
    takeoverMs: config.takeoverMs,
    judge: doors.judge,
    workDir,
    memory: newMemory(),
    checkpoint: doors.checkpoint,
  };
}

function quietLog(log: Log) {
  return { debug: () => undefined, warn: (message: string) => log.warn(message) };
}
