import type { AttemptId } from '../domain/attempt.ts';
import type { Digest } from '../domain/digest.ts';
import type { DatabaseId } from '../domain/ids.ts';
import type { GitHubClient } from '../github/client.ts';
import type { RepoName } from '../github/repo-name.ts';
import type { Clock } from '../host/clock.ts';
import type { Environment } from '../host/environment.ts';
import type { Ids } from '../host/ids.ts';
import type { KillTimes } from '../host/kill.ts';
import type { Log } from '../host/log.ts';
import type { Redactor } from '../host/redact.ts';
import type { ArtifactStore } from './artifact-store.ts';
import type { BreakerLimits } from './breaker.ts';
import type { ModelAccess } from './gateway/model-access.ts';

/** What one workflow run was asked to do, and with what. */
export interface WorkerJob {
  readonly attempt: AttemptId;
  readonly contractDigest: Digest;
  readonly repo: RepoName;
  readonly runId: DatabaseId;
  /** 1 unless somebody ran the run again by hand. */
  readonly runAttempt: number;
  /** Address for git. */
  readonly remoteUrl: string;
  /** The job's token: reads, writes nothing. */
  readonly token: string;
  /** Absolute path of the agent's executable. Throws CcdError where there is none: a fault that the attempt reports. */
  readonly findProgram: () => string;
  /** The Messages API and its key, where the tools bring no way to the model. */
  readonly modelUrl: URL;
  readonly modelKey: string | null;
  /** When the circuit breaker trips; 5/20/3 unless said. */
  readonly breaker?: BreakerLimits;
  /** True when the machine is declared to be thrown away after this job. */
  readonly ephemeral: boolean;
  /** A folder of this job's, for everything that the attempt writes. */
  readonly tempFolder: string;
  /** A folder that outlives the job, for what could not be uploaded. */
  readonly keepFolder: string;
  /** The parent's environment, of which a child sees the allow-listed names only. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variables that the operator lets through to the agent. */
  readonly agentEnvironment: Environment;
  /** Folders outside the system's own that the agent must be able to read: tool chains, the agent itself. */
  readonly readable: readonly string[];
  /** Folders that the operator lets the agent write besides its own. */
  readonly writable: readonly string[];
  readonly hidden: readonly string[];
  readonly times: WorkerTimes;
}

/** A job whose agent was found. */
export interface EquippedJob extends WorkerJob {
  readonly program: string;
}

/** Milliseconds. */
export interface WorkerTimes {
  readonly bindingTimeoutMs: number;
  readonly bindingPollMs: number;
  readonly stopPollMs: number;
  /** How often the work tree is looked at while the agent works, at least. */
  readonly treePollMs: number;
  /** Shortest time between two looks at the work tree. */
  readonly treeGapMs: number;
  /** Time between two trees that are handed over while the agent works. */
  readonly checkpointMs: number;
  readonly firstEventMs: number;
  readonly setupMs: number;
  readonly checkMs: number;
  readonly kill: KillTimes;
}

export const defaultTimes: WorkerTimes = {
  bindingTimeoutMs: 10 * 60_000,
  bindingPollMs: 1000,
  stopPollMs: 5000,
  treePollMs: 5000,
  treeGapMs: 1000,
  checkpointMs: 10 * 60_000,
  firstEventMs: 60_000,
  setupMs: 15 * 60_000,
  checkMs: 15 * 60_000,
  kill: { interruptMs: 10_000, terminateMs: 5_000 },
};

/** The outside world, passed in. */
export interface WorkerTools {
  readonly client: GitHubClient;
  readonly artifacts: ArtifactStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: () => number;
  readonly redactor: Redactor;
  readonly log: Log;
  /** This process's way to the model, with its keys and what the machine knows about limits. */
  readonly model?: ModelAccess;
  /** Aborted when the job itself is being cancelled. */
  readonly stop: AbortSignal;
}
