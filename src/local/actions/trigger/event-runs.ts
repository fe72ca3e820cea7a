import { z } from 'zod';
import type { WebhookEvent } from '../../events.ts';
import { ZERO_OID } from '../../git/oid.ts';
import { presentRepository } from '../../present/repository.ts';
import { presentUser } from '../../present/user.ts';
import type { Actor } from '../../principal.ts';
import type { Repo } from '../../records/repository.ts';
import type { Store } from '../../store.ts';
import type { Value } from '../expressions/values.ts';
import { newActionsSuite } from '../report/check-reports.ts';
import type { RunCause, RunRecord } from '../runs/records.ts';
import type { RunEngine } from '../runs/run-engine.ts';
import type { WorkflowReading } from '../workflow/parse-workflow.ts';
import { pullPaths, pushedPaths } from './changed-paths.ts';
import { eventMatches, type PullRequestFact, type PushFact } from './event-matches.ts';
import { readHeadCommit } from './head-commit.ts';
import { asksToSkip } from './skip-instruction.ts';
import { makeTestMerge } from './test-merge.ts';
import type { WorkflowFiles } from './workflow-files.ts';

const pushBody = z.object({ ref: z.string(), before: z.string(), after: z.string() });
const pullEnd = z.object({ ref: z.string(), sha: z.string() });
const pullBody = z.object({ number: z.number(), pull_request: z.object({ head: pullEnd, base: pullEnd }) });

/** Starts runs for events, as GitHub does for `push` and `pull_request`. */
export class EventRuns {
  readonly #store: Store;
  readonly #engine: RunEngine;
  readonly #files: WorkflowFiles;
  readonly #working = new Set<Promise<void>>();

  constructor(store: Store, engine: RunEngine, files: WorkflowFiles) {
    this.#store = store;
    this.#engine = engine;
    this.#files = files;
    store.events.on('webhook', (event) => this.#hear(event));
  }

  /** Resolves once every event so far has started what it starts. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  #hear(event: WebhookEvent): void {
    // What the workflow token causes starts nothing (GitHub docs, "Triggering a workflow from a workflow").
    if (event.actor.via === 'job') return;
    const work =
      event.event === 'push' ? this.#push(event) : event.event === 'pull_request' ? this.#pull(event) : null;
    if (work === null) return;
    const kept = work.finally(() => this.#working.delete(kept));
    this.#working.add(kept);
  }

  async #push(event: WebhookEvent): Promise<void> {
    const { ref, before, after } = pushBody.parse(event.body);
    const { repo } = event;
    if (after === ZERO_OID || !/^refs\/(heads|tags)\//.test(ref)) return;
    const headCommit = await readHeadCommit(repo, after);
    if (headCommit === null || asksToSkip(headCommit.message)) return;
    const fact: PushFact = { kind: 'push', ref, paths: () => pushedPaths(repo, before, after) };
    await this.#startAll(event, fact, {
      event: 'push',
      payload: eventPayload(this.#store, event),
      ref,
      headBranch: ref.replace(/^refs\/(heads|tags)\//, ''),
      headSha: headCommit.id,
      headCommit,
      sha: headCommit.id,
      baseRef: null,
      headRef: null,
      pullNumber: null,
      inputs: {},
    });
  }

  async #pull(event: WebhookEvent): Promise<void> {
    const { number, pull_request: pull } = pullBody.parse(event.body);
    const { repo } = event;
    const headCommit = await readHeadCommit(repo, pull.head.sha);
    if (headCommit === null || asksToSkip(headCommit.message)) return;
    const paths = () => pullPaths(repo, pull.base.sha, pull.head.sha);
    const fact: PullRequestFact = {
      kind: 'pull_request',
      action: event.action ?? '',
      baseBranch: pull.base.ref,
      paths,
    };
    const ends = { number, base: pull.base.sha, head: pull.head.sha };
    const sha = await makeTestMerge(repo, ends, this.#store.now());
    if (sha === null) return;
    await this.#startAll(event, fact, {
      event: 'pull_request',
      payload: eventPayload(this.#store, event),
      ref: `refs/pull/${number}/merge`,
      headBranch: pull.head.ref,
      headSha: pull.head.sha,
      headCommit,
      sha,
      baseRef: pull.base.ref,
      headRef: pull.head.ref,
      pullNumber: number,
      inputs: {},
    });
  }

  async #startAll(event: WebhookEvent, fact: PushFact | PullRequestFact, cause: RunCause): Promise<void> {
    for (const path of await this.#files.list(event.repo, cause.sha)) {
      const reading = await this.#files.read(event.repo, cause.sha, path);
      if (reading === null) continue;
      // GitHub shows a failed run for each push with a file that it cannot read at all.
      const wanted =
        reading.kind === 'invalid' ? fact.kind === 'push' : await eventMatches(triggersOf(reading), fact);
      if (wanted)
        startRun(this.#store, this.#engine, { repo: event.repo, path, reading, cause, actor: event.actor });
    }
  }
}

function triggersOf(reading: Exclude<WorkflowReading, { kind: 'invalid' }>) {
  return reading.kind === 'parsed' ? reading.workflow.triggers : reading.triggers;
}

/** `github.event`: what the webhook carries. */
function eventPayload(store: Store, event: WebhookEvent): { readonly [key: string]: Value } {
  const payload = {
    ...(event.action === null ? {} : { action: event.action }),
    ...event.body,
    repository: event.body.repository ?? presentRepository(store.urls, event.repo),
    sender: presentUser(store.urls, event.actor.user),
  };
  return JSON.parse(JSON.stringify(payload)) as { readonly [key: string]: Value };
}

/** Starts a run with a check suite of its own on the head commit. */
export function startRun(
  store: Store,
  engine: RunEngine,
  options: {
    readonly repo: Repo;
    readonly path: string;
    readonly reading: WorkflowReading;
    readonly cause: RunCause;
    readonly actor: Actor;
  },
): RunRecord {
  const { headSha, headBranch } = options.cause;
  const checkSuite = newActionsSuite(store, options.repo, headSha, headBranch);
  return engine.start({ ...options, checkSuite });
}
