import type { SpawnContract } from '../domain/contract.ts';
import type { TaskSpec } from '../domain/spec.ts';
import type { Clone } from '../git/bare-clone.ts';
import type { Sandbox } from '../host/sandbox.ts';
import type { Policy } from '../policy/policy.ts';
import type { StartingPoint } from './carried.ts';
import type { AttemptFolders } from './folders.ts';
import type { PredecessorStory } from './predecessor.ts';
import type { IssueText } from './prompt.ts';
import type { Remark } from './read-remarks.ts';
import type { EquippedJob, WorkerTools } from './worker-job.ts';

/** Everything that is known once a run was found to be the bound one and its task was read. */
export interface BoundAttempt {
  readonly job: EquippedJob;
  readonly tools: WorkerTools;
  readonly contract: SpawnContract;
  readonly issue: IssueText;
  readonly remarks: readonly Remark[];
  readonly spec: TaskSpec;
  readonly policy: Policy;
  readonly clone: Clone;
  readonly folders: AttemptFolders;
  readonly sandbox: Sandbox;
  readonly start: StartingPoint;
  /** The attempt before this one; null for the first. */
  readonly before: PredecessorStory | null;
  /** Project instructions of the base tree. */
  readonly instructions: string | null;
  /** Aborted with a StopCause when the attempt has to end. */
  readonly stop: AbortSignal;
  /** Instant (milliseconds) at which the attempt's time is over. */
  readonly deadline: number;
}
