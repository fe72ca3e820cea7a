import type { AttemptOutcome } from '../domain/contract.ts';
import type { Oid } from '../domain/ids.ts';
import type { ResultReport } from '../domain/report.ts';
import type { Enforced } from '../host/sandbox.ts';
import { nothingUsed, type UsedUp } from './budget.ts';
import type { AgentClaim } from './claim.ts';
import type { CheckRun } from './verify.ts';
import type { ChangedFile } from './work-tree/tree-changes.ts';
import type { TreeViolation } from './work-tree/tree-violation.ts';

/** A check as it ended after one try. */
export interface TriedCheck extends CheckRun {
  readonly try: number;
}

/** What the parent has seen of the work itself. */
export interface Seen {
  /** Tree of the last hand-over. */
  readonly tree: Oid | null;
  readonly lastSequence: number;
  /** What the work folder held when it was read last, against base. */
  readonly changed: readonly ChangedFile[];
  readonly lastTree: Oid | null;
  readonly violations: readonly TreeViolation[];
  readonly outside: readonly string[];
  readonly conflicted: readonly string[];
  readonly checks: readonly TriedCheck[];
  readonly tries: number;
  readonly used: UsedUp;
  readonly agentVersion: string | null;
  readonly model: string | null;
  /** Processes that had outlived the agent and were killed. */
  readonly swept: number;
  readonly claim: AgentClaim | null;
}

export const nothingSeen: Seen = {
  tree: null,
  lastSequence: 0,
  changed: [],
  lastTree: null,
  violations: [],
  outside: [],
  conflicted: [],
  checks: [],
  tries: 0,
  used: nothingUsed,
  agentVersion: null,
  model: null,
  swept: 0,
  claim: null,
};

/** What the parent observed of an attempt, from its start to its end. */
export interface Observed extends Seen {
  readonly status: ResultReport['status'];
  readonly outcome: AttemptOutcome;
  readonly enforced: Enforced | null;
  /** The checks that the task asks for. */
  readonly wanted: readonly string[];
}
