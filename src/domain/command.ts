import type { AttemptId } from './attempt.ts';
import type { Digest } from './digest.ts';
import type { DatabaseId, IssueNumber, Oid } from './ids.ts';

/** One ref of an atomic push: it moves only where it still stands at `expected` (zero: must not exist; `next` zero: deleted). */
export interface RefMove {
  readonly ref: string;
  readonly expected: Oid;
  readonly next: Oid;
}

/** Work without effect outside the app's own clone; what it finds is recorded by the pass's one push. */
export type Computation =
  | {
      readonly kind: 'import-handover';
      readonly issue: IssueNumber;
      readonly attempt: AttemptId;
      readonly artifactId: DatabaseId;
      readonly sequence: number;
    }
  | {
      readonly kind: 'read-report';
      readonly issue: IssueNumber;
      readonly attempt: AttemptId;
      readonly artifactId: DatabaseId;
    }
  /** A tree that was refused is looked at again, because a person waived what was found in it. */
  | { readonly kind: 'publish-refused'; readonly issue: IssueNumber }
  | {
      readonly kind: 'judge-candidate';
      readonly issue: IssueNumber;
      readonly try: number;
      readonly factsArtifact: DatabaseId | null;
      /** True when a facts job was tried as often as policy allows and delivered nothing. */
      readonly factsMissing: boolean;
    }
  | { readonly kind: 'compose-build'; readonly number: number; readonly try: number }
  | {
      readonly kind: 'judge-build';
      readonly number: number;
      readonly try: number;
      readonly factsArtifact: DatabaseId | null;
      readonly factsMissing: boolean;
    }
  | { readonly kind: 'land'; readonly number: number; readonly try: number }
  | { readonly kind: 'move-refs'; readonly moves: readonly RefMove[] };

/** One intended write to GitHub, made after the state that records its intent has been pushed. */
export type Effect =
  | { readonly kind: 'create-status-comment'; readonly issue: IssueNumber; readonly body: string }
  | {
      readonly kind: 'update-comment';
      readonly issue: IssueNumber;
      readonly commentId: DatabaseId;
      readonly body: string;
    }
  /** A second comment of ours of one kind; the one that state knows, or the older one, stays. */
  | { readonly kind: 'delete-comment'; readonly number: IssueNumber; readonly commentId: DatabaseId }
  | { readonly kind: 'update-control-issue'; readonly number: IssueNumber; readonly body: string }
  | { readonly kind: 'reply'; readonly number: IssueNumber; readonly to: string; readonly body: string }
  | {
      readonly kind: 'set-labels';
      readonly issue: IssueNumber;
      readonly add: readonly string[];
      readonly remove: readonly string[];
    }
  | {
      readonly kind: 'create-pull';
      readonly issue: IssueNumber;
      readonly head: string;
      readonly base: string;
      readonly title: string;
      readonly body: string;
      readonly draft: boolean;
    }
  | {
      readonly kind: 'update-pull';
      readonly issue: IssueNumber;
      readonly pull: IssueNumber;
      readonly body: string;
    }
  | { readonly kind: 'close-pull'; readonly issue: IssueNumber; readonly pull: IssueNumber }
  | {
      readonly kind: 'mark-ready';
      readonly issue: IssueNumber;
      readonly pull: IssueNumber;
      readonly nodeId: string;
    }
  | {
      readonly kind: 'put-guard-check';
      readonly issue: IssueNumber;
      readonly commit: Oid;
      readonly checkId: DatabaseId | null;
      readonly shown: Digest;
    }
  | {
      readonly kind: 'put-landing-check';
      readonly build: number;
      readonly commit: Oid;
      readonly checkId: DatabaseId | null;
      readonly keyDigest: Digest;
    }
  | {
      readonly kind: 'dispatch-worker';
      readonly issue: IssueNumber;
      readonly attempt: AttemptId;
      readonly contractDigest: Digest;
    }
  | {
      readonly kind: 'dispatch-facts';
      readonly of:
        | { readonly kind: 'candidate'; readonly issue: IssueNumber }
        | { readonly kind: 'build'; readonly number: number };
      readonly planDigest: Digest;
      readonly try: number;
    }
  | { readonly kind: 'cancel-run'; readonly runId: DatabaseId; readonly force: boolean }
  | {
      readonly kind: 'close-issue';
      readonly issue: IssueNumber;
      readonly as: 'completed' | 'not_planned';
    };

/** One intended write with the precondition that makes it safe to repeat. */
export type Command = Computation | Effect;
