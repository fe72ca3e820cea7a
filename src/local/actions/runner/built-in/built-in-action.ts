import type { JobWorld, StepEnd } from '../job-world.ts';

/** One execution of a stand-in. */
export interface BuiltInCall {
  readonly world: JobWorld;
  readonly label: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly timeout: number | null;
  /** What the action keeps from its main phase to its post phase. */
  readonly state: Map<string, string>;
}

/** A stand-in for one of GitHub's own actions. */
export interface BuiltInAction {
  /** Every input it understands, with its default. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly main: (call: BuiltInCall) => Promise<StepEnd>;
  readonly post?: (call: BuiltInCall) => Promise<StepEnd>;
  /** When the post phase runs; always unless given. */
  readonly postIf?: string;
}

/** The end of a step that failed for a reason that people should read. */
export function failed(call: BuiltInCall, message: string): StepEnd {
  call.world.log.error(message);
  return { outcome: 'failure', outputs: {} };
}
