import type { AttemptId } from './attempt.ts';
import type { RefMove } from './command.ts';
import type { Digest } from './digest.ts';
import type { DatabaseId, IssueNumber, Oid } from './ids.ts';
import type { ResultReport } from './report.ts';
import type { CandidateState, Found, VerdictState } from './state.ts';

/** What a computation found. `moves` are refs that must move together with the state that records it. */
export type ComputationOutcome =
  | {
      readonly kind: 'handover-accepted';
      readonly issue: IssueNumber;
      readonly artifactId: DatabaseId;
      readonly sequence: number;
      readonly candidate: CandidateState;
      readonly moves: readonly RefMove[];
    }
  | {
      readonly kind: 'handover-unchanged';
      readonly issue: IssueNumber;
      readonly attempt: AttemptId;
      readonly artifactId: DatabaseId;
      readonly sequence: number;
      readonly tree: Oid;
    }
  | {
      /** The tree may be shown on no branch: out of scope, protected, or holding a secret. */
      readonly kind: 'handover-refused';
      readonly issue: IssueNumber;
      readonly attempt: AttemptId;
      readonly artifactId: DatabaseId;
      readonly sequence: number;
      readonly tree: Oid;
      readonly commit: Oid;
      readonly findings: readonly Found[];
      readonly moves: readonly RefMove[];
    }
  | {
      readonly kind: 'refused-published';
      readonly issue: IssueNumber;
      readonly candidate: CandidateState;
      readonly moves: readonly RefMove[];
    }
  | { readonly kind: 'refused-stands'; readonly issue: IssueNumber }
  | {
      readonly kind: 'handover-unreadable';
      readonly issue: IssueNumber;
      readonly attempt: AttemptId;
      readonly artifactId: DatabaseId;
      readonly sequence: number;
      readonly reason: string;
    }
  | {
      readonly kind: 'report-read';
      readonly issue: IssueNumber;
      readonly attempt: AttemptId;
      readonly artifactId: DatabaseId;
      readonly report: ResultReport;
    }
  | {
      /** What an attempt that was ended before spent: money is counted whoever ended it. */
      readonly kind: 'late-report';
      readonly issue: IssueNumber;
      readonly attempt: AttemptId;
      readonly artifactId: DatabaseId;
      readonly microUsd: number | null;
      readonly tries: number;
    }
  | {
      readonly kind: 'report-invalid';
      readonly issue: IssueNumber;
      readonly attempt: AttemptId;
      readonly artifactId: DatabaseId;
      readonly reason: string;
    }
  | { readonly kind: 'candidate-judged'; readonly issue: IssueNumber; readonly verdict: VerdictState }
  | { readonly kind: 'candidate-needs-facts'; readonly issue: IssueNumber; readonly planDigest: Digest }
  | {
      readonly kind: 'build-composed';
      readonly number: number;
      readonly commit: Oid;
      readonly tree: Oid;
      readonly stateCommit: Oid;
      readonly moves: readonly RefMove[];
    }
  | {
      readonly kind: 'build-conflict';
      readonly number: number;
      readonly candidate: Oid;
      readonly empty: boolean;
    }
  /** A member's commit is not to be had: its branch or its fork is gone, and nothing else names it. */
  | { readonly kind: 'candidate-gone'; readonly number: number; readonly candidate: Oid }
  | { readonly kind: 'build-judged'; readonly number: number; readonly verdict: VerdictState }
  | { readonly kind: 'build-needs-facts'; readonly number: number; readonly planDigest: Digest }
  | {
      readonly kind: 'landed';
      readonly number: number;
      readonly commit: Oid;
      readonly moves: readonly RefMove[];
    }
  | {
      readonly kind: 'landing-refused';
      readonly number: number;
      readonly reason: string;
      readonly of: IssueNumber | null;
      /** What to do with the build: make it again, hand its members back, or to their reviewers, or look again. */
      readonly next: 'rebuild' | 'hold' | 'review' | 'wait';
    }
  | { readonly kind: 'refs-moved'; readonly moves: readonly RefMove[] };

/** What came of an effect. Ids that it made are read back by the next pass, which also proves that it took effect. */
export type EffectOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'refused'; readonly what: string; readonly reason: string }
  | { readonly kind: 'unclear'; readonly what: string; readonly reason: string }
  | { readonly kind: 'rate-limited'; readonly what: string; readonly retryAtMs: number };
