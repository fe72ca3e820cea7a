import type { Effect } from '../../src/domain/command.ts';
import { canonicalJson, digestValue } from '../../src/domain/digest.ts';
import type {
  ObservedArtifact,
  ObservedCheck,
  ObservedCommand,
  ObservedIssue,
  ObservedPull,
  ObservedRun,
  Snapshot,
} from '../../src/domain/snapshot.ts';
import {
  type BuildState,
  type Member,
  queueStateSchema,
  type RepositoryState,
  repositoryStateSchema,
  type TaskState,
  taskStateSchema,
} from '../../src/domain/state.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { parseSpec } from '../../src/spec/parse-spec.ts';
import { type Decision, decide } from '../../src/supervisor/decide.ts';
import { appId, botId, oid, policyOf, repositoryOf, startMs, takeoverMs } from './supervisor-nouns.ts';

export * from './supervisor-nouns.ts';

/** What differs from an empty world with a trunk; lists stand for the maps of a snapshot. */
export interface World {
  readonly seconds?: number;
  readonly instance?: string;
  readonly repository?: Partial<RepositoryState>;
  readonly tasks?: readonly TaskState[];
  readonly members?: readonly Member[];
  readonly build?: BuildState | null;
  readonly issues?: readonly ObservedIssue[];
  readonly pulls?: readonly ObservedPull[];
  readonly pullsByHead?: readonly (readonly [number, ObservedPull])[];
  readonly commands?: readonly ObservedCommand[];
  readonly runs?: readonly ObservedRun[];
  readonly runsByTitle?: readonly (readonly [string, readonly ObservedRun[]])[];
  readonly artifacts?: readonly (readonly [number, readonly ObservedArtifact[]])[];
  readonly checks?: readonly (readonly [string, readonly ObservedCheck[]])[];
  readonly ownChecks?: readonly (readonly [string, readonly ObservedCheck[]])[];
  readonly comments?: readonly { readonly id: number; readonly number: number; readonly body: string }[];
  readonly doubledComments?: Snapshot['doubledComments'];
  readonly goneComments?: readonly number[];
  readonly answered?: readonly string[];
  readonly refs?: Readonly<Record<string, string>>;
  readonly trunk?: string;
  readonly alarms?: Snapshot['alarms'];
}

export function snapshotOf(world: World): Snapshot {
  const trunk = world.trunk ?? 'trunk';
  return {
    now: startMs + (world.seconds ?? 60) * 1000,
    instance: world.instance ?? 'one',
    takeoverMs,
    repository: { id: 5, owner: 'acme', name: 'shop', trunk: 'main', botId, appId },
    refs: new Map([
      ['refs/heads/main', oid(trunk)],
      ['refs/heads/ccd/run', oid('run')],
      ['refs/heads/ccd/facts', oid('facts')],
      ...Object.entries(world.refs ?? {}),
    ]),
    stateHead: oid('state'),
    state: {
      repository: repositoryStateSchema.parse(repositoryOf(world.repository)),
      queue: queueStateSchema.parse({
        version: 1,
        members: world.members ?? [],
        build: world.build ?? null,
      }),
      tasks: new Map((world.tasks ?? []).map((task) => [task.issue, taskStateSchema.parse(task)])),
      builds: new Map(),
    },
    trunk: { oid: oid(trunk), tree: oid(`${trunk}-tree`) },
    trunkChain: [],
    policyDigest: digestValue('policy'),
    issues: byNumber(world.issues),
    pulls: byNumber(world.pulls),
    pullsByHead: new Map(world.pullsByHead),
    ownChecks: new Map(world.ownChecks),
    commands: world.commands ?? [],
    runs: new Map((world.runs ?? []).map((run) => [run.id, run])),
    runsByTitle: new Map(world.runsByTitle),
    artifacts: new Map(world.artifacts),
    checks: new Map(world.checks),
    comments: byNumber(world.comments),
    doubledComments: world.doubledComments ?? [],
    goneComments: new Set(world.goneComments),
    answered: new Set(world.answered),
    alarms: world.alarms ?? [],
  };
}

function byNumber<T extends { readonly number: number }>(list: readonly T[] = []): Map<number, T> {
  return new Map(list.map((entry) => [entry.number, entry]));
}

/** Comparable text of plain data with maps in it. */
export function flat(value: unknown): string {
  return canonicalJson(
    JSON.parse(JSON.stringify(value, (_key, inner: unknown) => (inner instanceof Map ? [...inner] : inner))),
  );
}

/**
 * Decides on a world through the public door, and holds every decision to what all of them owe: the snapshot stays as it was, and
 * what is to be recorded can be read again.
 */
export function decideOn(snapshot: Snapshot, policy: Policy = policyOf()): Decision {
  const before = flat(snapshot);
  const decision = decide(snapshot, policy, readerOf(policy));
  if (flat(snapshot) !== before) throw new Error('the decision changed its snapshot');
  repositoryStateSchema.parse(decision.state.repository);
  queueStateSchema.parse(decision.state.queue);
  for (const task of decision.state.tasks.values()) taskStateSchema.parse(task);
  return decision;
}

/** The real parser under one policy, as the observation hands it to the decision. */
export function readerOf(policy: Policy) {
  return (issue: ObservedIssue) =>
    parseSpec(issue.body, policy, { repository: 'acme/shop', issue: issue.number });
}

export function decideIn(world: World, policy: Policy = policyOf()): Decision {
  return decideOn(snapshotOf(world), policy);
}

/** The task as a decision leaves it. Throws when there is none. */
export function taskIn(decision: Pick<Decision, 'state'>, issue = 1): TaskState {
  const task = decision.state.tasks.get(issue);
  if (task === undefined) throw new Error(`no task ${issue}`);
  return task;
}

export function effectsOf<K extends Effect['kind']>(
  decision: Pick<Decision, 'effects'>,
  kind: K,
): Extract<Effect, { kind: K }>[] {
  return decision.effects.filter((effect): effect is Extract<Effect, { kind: K }> => effect.kind === kind);
}
