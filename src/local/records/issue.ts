import type { App, User } from './identity.ts';

export interface Label {
  readonly id: number;
  readonly nodeId: string;
  name: string;
  color: string;
  description: string | null;
}

export interface Comment {
  readonly id: number;
  readonly nodeId: string;
  readonly issueNumber: number;
  readonly user: User;
  /** The app through which it was written, null for people. */
  readonly app: App | null;
  body: string;
  readonly createdAt: number;
  updatedAt: number;
  /** Time of the last change of the body, null while it is as first written. */
  lastEditedAt: number | null;
  editor: User | null;
}

/** One entry of an issue's history. `event` is GitHub's own name (`labeled`, `closed`, …). */
export interface TimelineEvent {
  readonly id: number;
  readonly nodeId: string;
  readonly event: string;
  readonly actor: User;
  readonly app: App | null;
  readonly createdAt: number;
  readonly label?: { readonly name: string; readonly color: string };
  readonly rename?: { readonly from: string; readonly to: string };
  readonly stateReason?: string | null;
  readonly commitId?: string | null;
  readonly comment?: Comment;
  readonly review?: Review;
  /** For `cross-referenced`: number of the issue or pull request that mentions this one. */
  readonly sourceNumber?: number;
}

export interface Review {
  readonly id: number;
  readonly nodeId: string;
  readonly user: User;
  readonly app: App | null;
  body: string;
  state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'PENDING' | 'DISMISSED';
  readonly commitId: string;
  submittedAt: number;
  lastEditedAt: number | null;
}

export interface Pull {
  readonly id: number;
  readonly nodeId: string;
  draft: boolean;
  readonly headRef: string;
  /** Tip of the head branch while open; frozen when closed. */
  headSha: string;
  baseRef: string;
  /** Tip of the base branch while open; frozen when closed. */
  baseSha: string;
  merged: boolean;
  mergedAt: number | null;
  mergedBy: User | null;
  mergeCommitSha: string | null;
  /** Mergeability is computed after the first read, as on GitHub; keyed by head and base. */
  mergeable: { readonly key: string; readonly value: boolean | null } | null;
  readonly reviews: Review[];
}

export interface Issue {
  readonly id: number;
  readonly nodeId: string;
  readonly number: number;
  readonly user: User;
  readonly app: App | null;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  stateReason: 'completed' | 'not_planned' | 'reopened' | 'duplicate' | null;
  closedAt: number | null;
  closedBy: User | null;
  readonly createdAt: number;
  updatedAt: number;
  /** Time of the last change of the body; title, labels and state do not count. */
  lastEditedAt: number | null;
  editor: User | null;
  /** Changes of the body, oldest first; the text as first written is not among them. */
  readonly edits: { readonly editor: User; readonly at: number }[];
  locked: boolean;
  lockReason: 'off-topic' | 'too heated' | 'resolved' | 'spam' | null;
  labels: Label[];
  assignees: User[];
  readonly comments: Comment[];
  readonly timeline: TimelineEvent[];
  /** Ids of issues that block this one. */
  readonly blockedBy: Set<number>;
  /** Ids of issues that this one blocks: the other side of their `blockedBy`. */
  readonly blocking: Set<number>;
  /** Ids of its sub-issues, in their order of priority. */
  readonly subIssues: number[];
  /** Id of the issue of which it is a sub-issue. */
  parentId: number | null;
  /** Present when the issue is a pull request; they share numbers. */
  readonly pull: Pull | null;
}
