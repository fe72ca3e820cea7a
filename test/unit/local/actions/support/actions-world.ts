import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Octokit } from '@octokit/rest';
import {
  createActions,
  type LocalActions,
  type RunnerOptions,
} from '../../../../../src/local/actions/actions.ts';
import { jobMarker } from '../../../../../src/local/actions/runner/base-environment.ts';
import { processesMarked } from '../../../../../src/local/actions/runner/process-table.ts';
import {
  currentJobs,
  type JobRecord,
  type RunRecord,
} from '../../../../../src/local/actions/runs/records.ts';
import { runGit } from '../../../../../src/local/git/run-git.ts';
import type { User } from '../../../../../src/local/records/identity.ts';
import type { Repo } from '../../../../../src/local/records/repository.ts';
import { createRepo, createUser, createUserToken } from '../../../../../src/local/seed.ts';
import { type LocalGitHub, start } from '../../../../../src/local/server.ts';

/** A local GitHub with Actions, one repository and its owner. */
export interface ActionsWorld {
  readonly github: LocalGitHub;
  readonly actions: LocalActions;
  readonly owner: User;
  readonly token: string;
  readonly repo: Repo;
  readonly octokit: Octokit;
  /** A scratch directory that goes with the world. */
  readonly scratch: string;
  /** Commits files on a branch by the owner and pushes it over HTTP. Answers the commit id. */
  push(files: Readonly<Record<string, string>>, options?: PushOptions): Promise<string>;
  /** Starts a runner with quick stop times. */
  runner(options?: RunnerOptions): ReturnType<LocalActions['startRunner']>;
  /** Pushes one workflow file to main and waits until its run is over. */
  runWorkflow(yaml: string, files?: Readonly<Record<string, string>>): Promise<RunRecord>;
  close(): Promise<void>;
}

export interface PushOptions {
  readonly branch?: string;
  readonly message?: string;
  readonly token?: string;
  /** Branch to start from when `branch` does not exist yet; `main` unless given. */
  readonly from?: string;
}

/** `now`: the clock of the local GitHub; the machine's unless given. */
export async function openWorld(options: { readonly now?: () => number } = {}): Promise<ActionsWorld> {
  const scratch = await mkdtemp(join(tmpdir(), 'ccd-actions-'));
  const github = await start({ dataDir: join(scratch, 'data'), ...options });
  const actions = createActions(github);
  const owner = createUser(github.store, 'ada');
  const token = createUserToken(github.store, owner);
  const repo = await createRepo(github.store, { owner, name: 'demo' });
  const octokit = octokitFor(github, token);
  const push = pusher(github, repo, token, join(scratch, 'clone'));
  const runner = (options: RunnerOptions = {}) =>
    actions.startRunner({
      stopTimes: { afterInterrupt: 400, afterTerminate: 400, outputGrace: 300 },
      workDir: join(scratch, 'work'),
      ...options,
    });
  const runWorkflow = async (yaml: string, files: Readonly<Record<string, string>> = {}) => {
    const sha = await push({ '.github/workflows/ci.yml': yaml, ...files });
    const run = await actions.waitForRun(
      (one) => one.cause.headSha === sha && one.workflow.path.endsWith('ci.yml'),
    );
    return actions.completed(run.id);
  };
  const close = async () => {
    await actions.close();
    await github.close();
    await rm(scratch, { recursive: true, force: true });
  };
  return { github, actions, owner, token, repo, octokit, scratch, push, runner, runWorkflow, close };
}

/** Octokit with a token; it says nothing of what it is refused. */
export function octokitFor(github: LocalGitHub, auth: string): Octokit {
  const quiet = () => {};
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  return new Octokit({ auth, baseUrl: `${github.url}/api/v3`, log });
}

function pusher(github: LocalGitHub, repo: Repo, ownerToken: string, clone: string): ActionsWorld['push'] {
  let ready: Promise<unknown> | null = null;
  const git = async (...args: string[]) => {
    const run = await runGit(['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: clone,
    });
    if (run.code !== 0) throw new Error(`git ${args.join(' ')}: ${run.stderr}`);
    return run.stdout.toString('utf8').trim();
  };
  return async (files, { branch = 'main', message = 'Change', token = ownerToken, from = 'main' } = {}) => {
    const { mkdir, writeFile } = await import('node:fs/promises');
    ready ??= mkdir(clone, { recursive: true }).then(() => git('init', '-q', '-b', 'main'));
    await ready;
    const branches = await git('branch', '--format=%(refname:short)');
    if (branches.split('\n').includes(branch)) await git('checkout', '-q', branch);
    else if (branches.split('\n').includes(from)) await git('checkout', '-q', '-b', branch, from);
    else await git('checkout', '-q', '--orphan', branch);
    for (const [path, text] of Object.entries(files)) {
      const full = join(clone, path);
      await mkdir(join(full, '..'), { recursive: true });
      await writeFile(full, text);
    }
    await git('add', '-A');
    await git('commit', '-q', '--allow-empty', '-m', message);
    const url = new URL(`/${repo.owner.login}/${repo.name}.git`, github.url);
    url.username = 'x-access-token';
    url.password = token;
    await git('push', '-q', url.href, `HEAD:refs/heads/${branch}`);
    return git('rev-parse', 'HEAD');
  };
}

/** The only job of a key in a run's current attempt. */
export function jobOf(run: RunRecord, key: string): JobRecord {
  const job = currentJobs(run).find((one) => one.key === key);
  if (job === undefined) throw new Error(`no job ${key}: ${run.problems.join('; ')}`);
  return job;
}

/** The log of a job as one text, without time stamps. */
export function logText(job: JobRecord): string {
  return job.log.map((line) => line.replace(/^\d{4}-\d\d-\d\dT\S+ /, '')).join('\n');
}

/** Processes of a job that still live. */
export function processesOf(job: JobRecord): number[] {
  return processesMarked(jobMarker(job));
}
