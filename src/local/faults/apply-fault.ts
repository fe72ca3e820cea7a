import type { WireAnswer } from '../wire.ts';
import type { Fault } from './faults.ts';

/** Carries out a fault: waits as long as it asks, then answers what goes out in place of the truth, or null for the truth. */
export async function applyFault(
  fault: Fault,
  wait: (ms: number) => Promise<void>,
): Promise<WireAnswer | null> {
  if (fault.delayMs) await wait(fault.delayMs);
  if (fault.reset) return { kind: 'reset' };
  if (fault.status === undefined) return null;
  const body = fault.body ?? { message: 'Server Error' };
  return {
    kind: 'answer',
    status: fault.status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...fault.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}
