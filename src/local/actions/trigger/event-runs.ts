import { z } from 'zod';
import type { WebhookEvent } from '../../events.ts';
import { ZERO_OID } from '../../git/oid.ts';
import type { RunCause } from '../runs/records.ts';
import { triggersOf } from '../workflow/parse-workflow.ts';
import type { EventFilter } from '../workflow/triggers.ts';
import { pullPaths, pushedPaths } from './changed-paths.ts';
import {
  activityMatches,
  eventMatches,
  type PullRequestFact,
  type PushFact,
  runMatches,
} from './event-matches.ts';
import { readHeadCommit } from './head-commit.ts';
import { asksToSkip } from './skip-instruction.ts';
import { causeOnRef, eventPayload, type StartParts, startOnDefaultBranch, startRun } from './start-run.ts';
import { makeTestMerge } from './test-merge.ts';

const pushBody = z.object({ ref: z.string(), before: z.string(), after: z.string() });
const pullEnd = z.object({ ref: z.string(), sha: z.string(), repo: z.object({ id: z.number() }) });
const pullBody = z.object({ number: z.number(), pull_request: z.object({ head: pullEnd, base: pullEnd }) });
const runBody = z.object({
  workflow_run: z.object({ id: z.number(), name: z.string(), head_branch: z.string().nullable() }),
});

type Pull = z.infer<typeof pullBody>;

/** Events whose workflows are those of the default branch, chosen by `types` alone. */
const BY_ACTIVITY = ['check_run', 'issues', 'issue_comment'] as const;

/** GitHub follows `workflow_run` three levels deep. */
const MAX_CHAIN = 3;

/** Starts runs for what happens, as GitHub does. Dispatches and schedules come by other ways. */
export class EventRuns {
  readonly #parts: StartParts;
  readonly #working = new Set<Promise<void>>();

  constructor(parts: StartParts) {
    this.#parts = parts;
    parts.store.events.on('webhook', (event) => this.#hear(event));
  }

  /** Resolves once every event so far has started what it starts. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  #hear(event: WebhookEvent): void {
    const work = this.#workFor(event);
    if (work === null) return;
    const kept = work
      // A defect of this server, which a test should find; the event starts nothing.
      .catch((error: Error) => void this.#parts.store.crashes.push(`${event.event}: ${error.stack}`))
      .finally(() => this.#working.delete(kept));
    this.#working.add(kept);
  }

  #workFor(event: WebhookEvent): Promise<void> | null {
    // A run that ends is told to other workflows whoever stands behind it.
    if (event.event === 'workflow_run') return this.#run(event);
    // What the workflow token causes starts nothing (GitHub docs, "Triggering a workflow from a workflow").
    if (event.actor.via === 'job') return null;
    if (event.event === 'push') return this.#push(event);
    if (event.event === 'pull_request') return this.#pull(event);
    const name = BY_ACTIVITY.find((one) => one === event.event);
    return name === undefined ? this.#unserved(event) : this.#activity(event, name);
  }

  async #push(event: WebhookEvent): Promise<void> {
    const { ref, before, after } = pushBody.parse(event.body);
    const { repo } = event;
    if (after === ZERO_OID || !/^refs\/(heads|tags)\//.test(ref)) return;
    const headCommit = await readHeadCommit(repo, after);
    if (headCommit === null || asksToSkip(headCommit.message)) return;
    const fact: PushFact = { kind: 'push', ref, paths: () => pushedPaths(repo, before, after) };
    await this.#startAll(event, fact, causeOnRef('push', ref, headCommit, this.#payload(event)));
  }

  async #pull(event: WebhookEvent): Promise<void> {
    const body = pullBody.parse(event.body);
    const { number, pull_request: pull } = body;
    const { repo } = event;
    const headCommit = await readHeadCommit(repo, pull.head.sha);
    if (headCommit === null) return;
    await this.#pullTarget(event, body);
    if (asksToSkip(headCommit.message)) return;
    const ends = { number, base: pull.base.sha, head: pull.head.sha };
    const sha = await makeTestMerge(repo, ends, this.#parts.store.now());
    if (sha === null) return;
    const onRef = causeOnRef('pull_request', `refs/pull/${number}/merge`, headCommit, this.#payload(event));
    await this.#startAll(event, this.#pullFact(event, body, 'pull_request'), {
      ...onRef,
      ...pullCause(body),
      sha,
      fromFork: pull.head.repo.id !== pull.base.repo.id,
    });
  }

  /** `pull_request_target`: the base branch's own file and commit, whatever the change holds. */
  async #pullTarget(event: WebhookEvent, body: Pull): Promise<void> {
    const { base } = body.pull_request;
    const headCommit = await readHeadCommit(event.repo, base.sha);
    if (headCommit === null) return;
    const onRef = causeOnRef(
      'pull_request_target',
      `refs/heads/${base.ref}`,
      headCommit,
      this.#payload(event),
    );
    await this.#startAll(event, this.#pullFact(event, body, 'pull_request_target'), {
      ...onRef,
      ...pullCause(body),
      headSha: headCommit.id,
    });
  }

  #pullFact(
    event: WebhookEvent,
    { pull_request: pull }: Pull,
    kind: PullRequestFact['kind'],
  ): PullRequestFact {
    const paths = () => pullPaths(event.repo, pull.base.sha, pull.head.sha);
    return { kind, action: event.action ?? '', baseBranch: pull.base.ref, paths };
  }

  async #run(event: WebhookEvent): Promise<void> {
    const { workflow_run: run } = runBody.parse(event.body);
    const chain = (this.#parts.engine.runs.get(run.id)?.cause.chain ?? 0) + 1;
    if (chain > MAX_CHAIN) return;
    const fact = { action: event.action ?? '', workflow: run.name, branch: run.head_branch };
    await startOnDefaultBranch(this.#parts, {
      ...event,
      body: { action: event.action, ...event.body },
      chain,
      wants: (triggers) => runMatches(triggers.workflow_run, fact),
    });
  }

  async #activity(event: WebhookEvent, name: (typeof BY_ACTIVITY)[number]): Promise<void> {
    const wants = (filter: EventFilter | undefined) => activityMatches(filter, event.action ?? '');
    await startOnDefaultBranch(this.#parts, {
      ...event,
      body: { action: event.action, ...event.body },
      wants: (triggers) => wants(triggers[name]),
    });
  }

  /** An event that workflows wait for and that starts nothing here: said by name, by a run that fails. */
  async #unserved(event: WebhookEvent): Promise<void> {
    await startOnDefaultBranch(this.#parts, {
      ...event,
      body: { action: event.action, ...event.body },
      wants: (triggers) => triggers.unserved.includes(event.event),
      refusal: `on.${event.event}: the local runner starts nothing for this event`,
    });
  }

  async #startAll(event: WebhookEvent, fact: PushFact | PullRequestFact, cause: RunCause): Promise<void> {
    const { files } = this.#parts;
    const { repo, actor } = event;
    for (const path of await files.list(repo, cause.sha)) {
      const reading = await files.read(repo, cause.sha, path);
      if (reading === null) continue;
      // GitHub shows a failed run for each push with a file that it cannot read at all.
      const wanted =
        reading.kind === 'invalid' ? fact.kind === 'push' : await eventMatches(triggersOf(reading), fact);
      if (wanted) await startRun(this.#parts, { repo, path, reading, cause, actor });
    }
  }

  #payload(event: WebhookEvent): RunCause['payload'] {
    const action = event.action === null ? {} : { action: event.action };
    return eventPayload(this.#parts.store, event.repo, event.actor, { ...action, ...event.body });
  }
}

/** What a run says about the pull request behind it. */
function pullCause({ number, pull_request: { base, head } }: Pull) {
  return {
    headBranch: head.ref,
    headSha: head.sha,
    baseRef: base.ref,
    headRef: head.ref,
    pullNumber: number,
  };
}
