import { CcdError } from '../domain/errors.ts';
import type { Store } from './store.ts';

/**
 * Waits until a named condition holds, looking again at each event of this GitHub. For tests and demonstrations.
 * Throws `local.timeout`, naming the condition, after `timeoutMs` of real time.
 */
export function until<T>(
  store: Store,
  condition: string,
  look: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  timeoutMs = 30_000,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let settled = false;
    const end = (finish: () => void) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      unsubscribe();
      finish();
    };
    const attempt = async () => {
      try {
        const found = await look();
        if (found) end(() => resolve(found));
      } catch (cause) {
        end(() => reject(cause));
      }
    };
    const unsubscribe = store.events.onAny(() => void attempt());
    const timer = setTimeout(() => end(() => reject(timedOut(condition, timeoutMs))), timeoutMs);
    void attempt();
  });
}

const timedOut = (condition: string, timeoutMs: number): CcdError =>
  new CcdError({
    code: 'local.timeout',
    message: `Waited ${timeoutMs} ms in vain for: ${condition}.`,
    remedy: 'Look at the requests and deliveries of the local GitHub.',
    audience: 'bug',
  });
