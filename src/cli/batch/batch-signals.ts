import { constants } from 'node:os';
import type { ExitCode } from '../command.ts';

/** How the signals of a terminal or a supervisor reach a run. */
export interface BatchSignals {
  /** Aborted by the first signal: nothing more is started, agents are ended, what is finished is saved. */
  readonly stop: AbortSignal;
  /** Aborted by the second one: agents are killed. */
  readonly killNow: AbortSignal;
  /** 128 and the number of the first signal; null when none came. */
  exitCode(): ExitCode | null;
  close(): void;
}

export function listenForSignals(host: NodeJS.Process, say: (text: string) => void): BatchSignals {
  const stop = new AbortController();
  const kill = new AbortController();
  let first: ExitCode | null = null;
  const handlers = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => {
    const handler = () => {
      if (first !== null) {
        say('Killing the agents.\n');
        kill.abort();
        return;
      }
      first = (128 + constants.signals[signal]) as ExitCode;
      say('Ending: agents are being stopped, what is finished is saved. Once more kills them.\n');
      stop.abort('cancelled');
    };
    host.on(signal, handler);
    return [signal, handler] as const;
  });
  return {
    stop: stop.signal,
    killNow: kill.signal,
    exitCode: () => first,
    close: () => {
      for (const [signal, handler] of handlers) host.off(signal, handler);
    },
  };
}
