import type { Digest } from './digest.ts';
import type { DatabaseId, Instant, IssueNumber, Oid } from './ids.ts';
import type { State } from './state.ts';

/** A person or app as GitHub names it, with the right to write to the repository as read in this pass (null: not read). */
export interface Actor {
  readonly id: DatabaseId;
  readonly login: string;
  readonly kind: 'user' | 'app';
  readonly mayWrite: boolean | null;
}

export interface LabelEvent {
  readonly eventId: DatabaseId;
  readonly label: string;
  readonly actor: Actor;
  readonly at: Instant;
}

export interface ObservedIssue {
  readonly number: IssueNumber;
  readonly id: DatabaseId;
  readonly nodeId: string;
  readonly title: string;
  readonly body: string;
  /** Digest of title and body. */
  readonly bodyDigest: Digest;
  readonly lastEditedAt: Instant | null;
  readonly open: boolean;
  readonly stateReason: 'completed' | 'not_planned' | 'reopened' | null;
  readonly author: Actor;
  readonly labels: readonly string[];
  /** `labeled` events of `ccd:dispatch`, oldest first. */
  readonly requests: readonly LabelEvent[];
  /** Everybody who changed title or body; null where it was not read: it is wherever somebody waives a finding. */
  readonly editors: readonly DatabaseId[] | null;
  /** Whether the person whose request is honoured may still write; null where it was not read. */
  readonly askerMayWrite: boolean | null;
  /** Issues that block this one, from GitHub's dependency graph; null where it was not read in this pass. */
  readonly blockedBy: readonly IssueNumber[] | null;
}

export interface ObservedReview {
  readonly id: DatabaseId;
  readonly actor: Actor;
  readonly state: 'approved' | 'changes_requested' | 'commented' | 'dismissed';
  readonly commit: Oid | null;
  readonly at: Instant;
}

export interface ObservedPull {
  readonly number: IssueNumber;
  readonly id: DatabaseId;
  readonly nodeId: string;
  readonly open: boolean;
  readonly merged: boolean;
  readonly draft: boolean;
  readonly head: Oid;
  readonly headRef: string;
  readonly base: string;
  readonly body: string;
  readonly author: Actor;
  readonly reviews: readonly ObservedReview[];
}

/** One comment that starts with `/ccd`, by whom and where; `edited` ones are no commands. */
export interface ObservedCommand {
  readonly commentId: DatabaseId;
  readonly number: IssueNumber;
  readonly onPull: boolean;
  readonly actor: Actor;
  readonly at: Instant;
  readonly edited: boolean;
  readonly body: string;
}

export interface ObservedRun {
  readonly id: DatabaseId;
  readonly attempt: number;
  readonly event: string;
  readonly path: string;
  readonly branch: string | null;
  readonly head: Oid;
  readonly title: string;
  readonly actorId: DatabaseId;
  readonly status: 'queued' | 'in_progress' | 'completed' | 'other';
  readonly conclusion: string | null;
  readonly createdAt: Instant;
}

export interface ObservedArtifact {
  readonly id: DatabaseId;
  readonly runId: DatabaseId;
  readonly name: string;
  readonly bytes: number;
  readonly expired: boolean;
}

export interface ObservedCheck {
  readonly id: DatabaseId;
  readonly name: string;
  readonly commit: Oid;
  readonly appId: DatabaseId;
  readonly status: 'queued' | 'in_progress' | 'completed' | 'other';
  readonly conclusion: string | null;
  readonly externalId: string | null;
  /** For checks of Actions: the workflow run whose job this is; null where it could not be told. */
  readonly run: ObservedRun | null;
}

export interface ObservedComment {
  readonly id: DatabaseId;
  readonly number: IssueNumber;
  readonly body: string;
}

/** A commit on trunk's first-parent chain since adoption, newest first. */
export interface TrunkCommit {
  readonly oid: Oid;
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly message: string;
}

/** Something that must not be: it stops the machine for this repository until a person has looked. */
export interface Alarm {
  readonly code:
    | 'state-missing'
    | 'state-unreadable'
    | 'state-rolled-back'
    | 'wrong-repository'
    | 'trunk-moved-back'
    | 'unknown-run';
  readonly detail: string;
}

export interface RepositoryFacts {
  readonly id: DatabaseId;
  readonly owner: string;
  readonly name: string;
  readonly trunk: string;
  /** Database id of the app's bot user: the actor of what the app starts. */
  readonly botId: DatabaseId;
  readonly appId: DatabaseId;
}

/** Everything the supervisor knows about one repository at one moment: plain data, read fresh. */
export interface Snapshot {
  readonly now: number;
  readonly instance: string;
  /** How long an intent of another instance is honoured before it is taken over, in milliseconds. */
  readonly takeoverMs: number;
  readonly repository: RepositoryFacts;
  readonly refs: ReadonlyMap<string, Oid>;
  readonly stateHead: Oid;
  readonly state: State;
  readonly trunk: { readonly oid: Oid; readonly tree: Oid };
  readonly trunkChain: readonly TrunkCommit[];
  readonly policyDigest: Digest;
  readonly issues: ReadonlyMap<IssueNumber, ObservedIssue>;
  readonly pulls: ReadonlyMap<IssueNumber, ObservedPull>;
  /** Pull requests found by head branch for tasks whose pull request is not yet known in state, by issue. */
  readonly pullsByHead: ReadonlyMap<IssueNumber, ObservedPull>;
  /** Guard checks of the app found on candidates whose check is not yet known in state. */
  readonly ownChecks: ReadonlyMap<Oid, readonly ObservedCheck[]>;
  readonly commands: readonly ObservedCommand[];
  readonly runs: ReadonlyMap<DatabaseId, ObservedRun>;
  /** Runs found by title when an id is not known: keyed by the attempt id or plan digest in the run's name. */
  readonly runsByTitle: ReadonlyMap<string, readonly ObservedRun[]>;
  readonly artifacts: ReadonlyMap<DatabaseId, readonly ObservedArtifact[]>;
  readonly checks: ReadonlyMap<Oid, readonly ObservedCheck[]>;
  readonly comments: ReadonlyMap<IssueNumber, ObservedComment>;
  /** Comments of ours that an instance which had stood still made a second time. */
  readonly doubledComments: readonly ObservedComment[];
  /** Tasks whose status comment was deleted. */
  readonly goneComments: ReadonlySet<IssueNumber>;
  /** What was answered, of all that the state says is owed. */
  readonly answered: ReadonlySet<string>;
  readonly alarms: readonly Alarm[];
}
