import type { Clock } from '../host/clock.ts';
import type { Log } from '../host/log.ts';
import type { ReadBinding } from './state-reader.ts';

/**
 * Looks at the state branch again and again until `done` aborts, and aborts `stop` with the cause as soon as this run may
 * not work any more. A look that fails is logged and repeated: losing sight of state changes no ownership.
 */
export async function followStopOrders(
  read: ReadBinding,
  stop: AbortController,
  done: AbortSignal,
  pollMs: number,
  clock: Clock,
  log: Log,
): Promise<void> {
  while (!done.aborted) {
    await clock.sleep(pollMs, done);
    if (done.aborted) return;
    try {
      const binding = await read();
      // A pause or a freeze keeps new runs from starting; those that work are let finish.
      if (binding.kind === 'never' && binding.cause !== 'frozen' && binding.cause !== 'paused') {
        log.warn('this run must stop', { reason: binding.reason });
        stop.abort(binding.cause);
        return;
      }
    } catch (fault) {
      log.warn('the state branch could not be read', {
        fault: fault instanceof Error ? fault.message : 'unknown',
      });
    }
  }
}
