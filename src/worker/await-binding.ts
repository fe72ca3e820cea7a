import type { Clock } from '../host/clock.ts';
import type { Binding } from './binding.ts';
import type { ReadBinding } from './state-reader.ts';

export interface BindingWait {
  readonly timeoutMs: number;
  readonly pollMs: number;
}

/**
 * Waits until the supervisor has bound a run to the attempt: this one or another. A run that nobody binds in time stops
 * as `never`. A look that fails is repeated until the time is over, because state moves under the reader.
 */
export async function awaitBinding(
  read: ReadBinding,
  wait: BindingWait,
  clock: Clock,
  stop: AbortSignal,
): Promise<Exclude<Binding, { kind: 'not-yet' }>> {
  const deadline = clock.now() + wait.timeoutMs;
  let pollMs = wait.pollMs;
  while (true) {
    if (stop.aborted) return { kind: 'never', reason: 'stopped', cause: 'cancelled' };
    const late = clock.now() >= deadline;
    const binding = await read().catch((fault: unknown) => {
      if (late) throw fault;
      return { kind: 'not-yet' } as const;
    });
    if (binding.kind !== 'not-yet') return binding;
    if (late) return { kind: 'never', reason: 'not-bound-in-time', cause: 'superseded' };
    await clock.sleep(pollMs, stop);
    pollMs = Math.min(pollMs * 1.3, 10_000);
  }
}
