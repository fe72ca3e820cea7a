import type { StopTimes } from './step-process.ts';

/** How a local runner is set up. */
export interface RunnerConfig {
  readonly name: string;
  readonly labels: readonly string[];
  /** Jobs at the same time. */
  readonly concurrency: number;
  /** Directory below which each job gets a fresh one. */
  readonly workDir: string;
  /** `owner/repo` or `owner/repo/path` of an action → local directory that stands for it, whatever the ref. */
  readonly actionMap: Readonly<Record<string, string>>;
  /** Added to what jobs see; jobs inherit nothing else but `PATH` and the language. */
  readonly env: Readonly<Record<string, string>>;
  /** `auto`: a PID namespace for each job where the system allows it. */
  readonly namespace: 'auto' | 'off';
  readonly stopTimes: StopTimes;
  /** Milliseconds that the steps after a cancellation may take. GitHub: five minutes. */
  readonly cancelGrace: number;
  /** Leaves the job's directory behind for inspection. */
  readonly keepWork: boolean;
}

/** GitHub's hosted Linux machines, which a local runner stands in for. */
export const HOSTED_LABELS: readonly string[] = [
  'ubuntu-latest',
  'ubuntu-22.04',
  'ubuntu-24.04',
  'ubuntu-slim',
];

export const DEFAULT_STOP_TIMES: StopTimes = {
  afterInterrupt: 7_500,
  afterTerminate: 2_500,
  outputGrace: 2_000,
};
