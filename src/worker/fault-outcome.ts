import type { AttemptOutcome } from '../domain/contract.ts';
import { CcdError } from '../domain/errors.ts';

/** A fault as a report names it: its code as words; passing only when the door that met it has proven that. */
export function faultOutcome(fault: unknown): AttemptOutcome {
  if (!(fault instanceof CcdError)) return { class: 'deterministic', reason: 'fault' };
  const reason = fault.code
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60);
  return { class: fault.retryable ? 'transient' : 'deterministic', reason };
}

/** A fault as the log tells it: message and remedy for faults of ours, the stack for those nobody foresaw. */
export function faultText(fault: unknown): string {
  if (fault instanceof CcdError) return `${fault.message} ${fault.remedy}`;
  return fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
}
