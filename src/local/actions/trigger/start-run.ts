import { presentRepository } from '../../present/repository.ts';
import { presentUser } from '../../present/user.ts';
import type { Actor } from '../../principal.ts';
import type { Repo } from '../../records/repository.ts';
import type { Store } from '../../store.ts';
import type { Value } from '../expressions/values.ts';
import { newActionsSuite } from '../report/check-reports.ts';
import type { HeadCommit, RunCause, RunRecord } from '../runs/records.ts';
import type { RunEngine } from '../runs/run-engine.ts';
import { triggersOf, type WorkflowReading } from '../workflow/parse-workflow.ts';
import type { Triggers } from '../workflow/triggers.ts';
import { readHeadCommit } from './head-commit.ts';
import type { WorkflowFiles } from './workflow-files.ts';

/** What it takes to start a run. */
export interface StartParts {
  readonly store: Store;
  readonly engine: RunEngine;
  readonly files: WorkflowFiles;
}

/** `github.event`: what the webhook carries, plain JSON. */
export function eventPayload(
  store: Store,
  repo: Repo,
  actor: Actor,
  body: Readonly<Record<string, unknown>>,
): { readonly [key: string]: Value } {
  const payload = {
    repository: presentRepository(store.urls, repo),
    ...body,
    sender: presentUser(store.urls, actor.user),
  };
  return JSON.parse(JSON.stringify(payload)) as { readonly [key: string]: Value };
}

/** The cause of a run that stands on the tip of a branch or tag. */
export function causeOnRef(
  event: string,
  ref: string,
  headCommit: HeadCommit,
  payload: RunCause['payload'],
): RunCause {
  return {
    event,
    payload,
    ref,
    headBranch: ref.replace(/^refs\/(heads|tags)\//, ''),
    headSha: headCommit.id,
    headCommit,
    sha: headCommit.id,
    baseRef: null,
    headRef: null,
    pullNumber: null,
    inputs: {},
  };
}

/** Starts a run with a check suite of its own on the head commit. */
export async function startRun(
  { store, engine, files }: StartParts,
  options: {
    readonly repo: Repo;
    readonly path: string;
    readonly reading: WorkflowReading;
    readonly cause: RunCause;
    readonly actor: Actor;
  },
): Promise<RunRecord> {
  const { repo, reading, cause } = options;
  const called = await files.called(repo, cause.sha, reading);
  const checkSuite = newActionsSuite(store, repo, cause.headSha, cause.headBranch);
  return engine.start({ ...options, called, checkSuite });
}

function refused(
  path: string,
  reading: Exclude<WorkflowReading, { kind: 'invalid' }>,
  problem: string,
): WorkflowReading {
  const name = reading.kind === 'parsed' ? reading.workflow.name : reading.name;
  return { kind: 'unsupported', name, triggers: triggersOf(reading), problems: [`${path}: ${problem}`] };
}

/**
 * Starts what an event starts that is looked up on the default branch, whatever it is about (`workflow_run`,
 * `repository_dispatch`, `schedule`, `issues` and so on): every file there that `wants` it, on the branch's tip.
 */
export async function startOnDefaultBranch(
  parts: StartParts,
  order: {
    readonly repo: Repo;
    readonly actor: Actor;
    readonly event: string;
    readonly body: Readonly<Record<string, unknown>>;
    readonly wants: (triggers: Triggers) => boolean;
    readonly chain?: number;
    /** Why nothing of it can be executed here: each run fails with this. */
    readonly refusal?: string;
  },
): Promise<RunRecord[]> {
  const { store, files } = parts;
  const { repo, actor, event, body, wants, chain, refusal } = order;
  const ref = `refs/heads/${repo.defaultBranch}`;
  const tip = await repo.git.ref(ref);
  if (tip === null || !(await files.eventsOf(repo, tip)).has(event)) return [];
  const runs: RunRecord[] = [];
  let cause: RunCause | null = null;
  for (const path of await files.list(repo, tip)) {
    const reading = await files.read(repo, tip, path);
    if (reading === null || reading.kind === 'invalid' || !wants(triggersOf(reading))) continue;
    if (cause === null) {
      const headCommit = await readHeadCommit(repo, tip);
      if (headCommit === null) return [];
      const onRef = causeOnRef(event, ref, headCommit, eventPayload(store, repo, actor, body));
      cause = chain === undefined ? onRef : { ...onRef, chain };
    }
    const asked = refusal === undefined ? reading : refused(path, reading, refusal);
    runs.push(await startRun(parts, { repo, path, reading: asked, cause, actor }));
  }
  return runs;
}
