import { createHash } from 'node:crypto';
import { digestValue } from '../../../src/domain/digest.ts';
import type {
  ObservedArtifact,
  ObservedCheck,
  ObservedComment,
  ObservedIssue,
  ObservedPull,
  ObservedRun,
} from '../../../src/domain/snapshot.ts';
import type { BuildRecord, State } from '../../../src/domain/state.ts';
import {
  bodyOf,
  issueOf,
  labelEvent,
  oid,
  policyOf,
  repositoryOf,
  startMs,
} from '../../support/snapshots.ts';

/** A GitHub as plain data: what stands there, and what the simulation has to remember to judge the machine by. */
export interface SimWorld {
  now: number;
  nextId: number;
  /** Counts pushes of the state: its compare-and-swap. */
  stateHead: number;
  state: State;
  readonly refs: Map<string, string>;
  trunkTree: string;
  readonly issues: Map<number, ObservedIssue>;
  readonly comments: ObservedComment[];
  readonly pulls: Map<number, ObservedPull>;
  readonly checks: Map<string, ObservedCheck[]>;
  readonly runs: Map<number, SimRun>;
  /** What each tree that a worker made is worth. */
  readonly trees: Map<string, TreeWorth>;
  /** Content of artifacts by id. */
  readonly contents: Map<number, ArtifactContent>;
  readonly seen: Seen;
}

export type TreeWorth = 'good' | 'bad' | 'refused' | 'unreadable' | 'conflicting';
export type ArtifactContent =
  | { readonly kind: 'tree'; readonly tree: string; readonly sequence: number }
  | { readonly kind: 'report'; readonly status: 'ready' | 'failed'; readonly tree: string | null }
  | { readonly kind: 'facts' };

export interface SimRun {
  run: ObservedRun;
  readonly of:
    | { readonly kind: 'worker'; readonly attempt: string }
    | { readonly kind: 'facts'; readonly plan: string; readonly try: number };
  readonly artifacts: ObservedArtifact[];
  started: boolean;
}

/** Everything by which the invariants are judged; nothing of it is shown to the machine. */
export interface Seen {
  readonly bound: Map<string, number>;
  readonly agentStarts: Map<string, number>;
  readonly generations: Map<number, number>;
  readonly builds: BuildRecord[];
  /** Issues that were written to by an instance whose push was no longer the last one. */
  readonly stale: Set<number>;
  readonly landings: { readonly commit: string; readonly tasks: readonly number[] }[];
}

export const policy = policyOf();

/** The name that an id is made of, so that equal inputs give equal commits. */
export function idOf(...parts: readonly (string | number)[]): string {
  return createHash('sha1').update(parts.join(' ')).digest('hex');
}

/** Three tasks: one alone, one that depends on it, one that shares its paths. */
export function newWorld(): SimWorld {
  const specs = [
    bodyOf({ allowed_paths: ['src/'] }),
    bodyOf({ allowed_paths: ['docs/'], depends_on: [1] }),
    bodyOf({ allowed_paths: ['src/a.ts'] }),
  ];
  const issues = specs.map((body, index) => issueOf(index + 1, { body }));
  return {
    now: startMs,
    nextId: 1_000,
    stateHead: 1,
    state: {
      repository: repositoryOf(),
      queue: { version: 1, members: [], build: null },
      tasks: new Map(),
      builds: new Map(),
    },
    refs: new Map([
      ['refs/heads/main', oid('trunk')],
      ['refs/heads/ccd/run', oid('run')],
      ['refs/heads/ccd/facts', oid('facts')],
    ]),
    trunkTree: oid('trunk-tree'),
    issues: new Map(issues.map((issue) => [issue.number, issue])),
    comments: [],
    pulls: new Map(),
    checks: new Map(),
    runs: new Map(),
    trees: new Map(),
    contents: new Map(),
    seen: {
      bound: new Map(),
      agentStarts: new Map(),
      generations: new Map(),
      builds: [],
      stale: new Set(),
      landings: [],
    },
  };
}

export function newId(world: SimWorld): number {
  world.nextId += 1;
  return world.nextId;
}

/** GitHub's clock: whole seconds. */
export function instantOf(world: SimWorld): string {
  return new Date(Math.floor(world.now / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}

export function changeIssue(world: SimWorld, number: number, change: Partial<ObservedIssue>): void {
  const issue = world.issues.get(number);
  if (issue !== undefined) world.issues.set(number, { ...issue, ...change });
}

/** A person sets the label (again); GitHub records an event only when it was not there. */
export function label(world: SimWorld, number: number): void {
  const issue = world.issues.get(number);
  if (issue === undefined || issue.labels.includes('ccd:dispatch')) return;
  const event = labelEvent(newId(world), { at: instantOf(world) });
  changeIssue(world, number, {
    labels: [...issue.labels, 'ccd:dispatch'],
    requests: [...issue.requests, event],
  });
}

export function unlabel(world: SimWorld, number: number): void {
  const issue = world.issues.get(number);
  if (issue !== undefined)
    changeIssue(world, number, { labels: issue.labels.filter((name) => name !== 'ccd:dispatch') });
}

/** Somebody else's commit on trunk. */
export function moveTrunk(world: SimWorld): void {
  world.refs.set('refs/heads/main', idOf('stray', newId(world)));
  world.trunkTree = idOf('stray-tree', world.nextId);
}

export const planOf = (head: string) => digestValue({ plan: head });
