import type { Clock } from '../../host/clock.ts';
import type { Environment } from '../../host/environment.ts';
import type { Ids } from '../../host/ids.ts';
import type { KillTimes } from '../../host/kill.ts';
import type { BatchEvent } from './batch-event.ts';
import type { Pipeline } from './load-pipeline.ts';
import type { OpenedModel } from './open-model.ts';

/** What one run of a pipeline was asked to do, and with what. */
export interface BatchJob {
  readonly pipeline: Pipeline;
  readonly workers: number;
  readonly maxConcurrent: number;
  /** Names of the phases that are done anew, whatever earlier runs left. */
  readonly forced: ReadonlySet<string>;
  /** Micro-dollars; null: no cap. */
  readonly runBudget: number | null;
  /** Of a phase, in micro-dollars; null: no cap. */
  readonly phaseBudget: (phase: string) => number | null;
  /** Absolute path of the agent's executable. */
  readonly program: string;
  /** True when the machine is declared to be thrown away afterwards. */
  readonly ephemeral: boolean;
  /** The parent's environment, of which a child sees the allow-listed names only. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly agentEnvironment: Environment;
  readonly readable: readonly string[];
  readonly hidden: readonly string[];
  /** For everything that does not outlive the run. */
  readonly tempFolder: string;
  readonly times: BatchTimes;
}

/** Milliseconds. */
export interface BatchTimes {
  readonly firstEventMs: number;
  /** How long answers that are on their way may take to arrive once the money is used up. */
  readonly graceMs: number;
  readonly kill: KillTimes;
}

export const batchTimes: BatchTimes = {
  firstEventMs: 60_000,
  graceMs: 15_000,
  kill: { interruptMs: 10_000, terminateMs: 5_000 },
};

/** The outside world, passed in. */
export interface BatchTools {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: () => number;
  /** The way to the model that all runs share. */
  readonly model: OpenedModel;
  readonly tell: (event: BatchEvent) => void;
  /** Aborted when a person or the runner wants the run to end. */
  readonly stop: AbortSignal;
  /** Aborted when nobody wants to wait for the agents' last words any more. */
  readonly killNow: AbortSignal;
}
