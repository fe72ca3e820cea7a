import type { EffectOutcome } from '../../domain/outcome.ts';
import type { WriteOutcome } from '../../github/apply/write-outcome.ts';

/** A write's outcome as the loop sees it: what was already so counts as done, the next pass reads it anyway. */
export function settled(what: string, outcome: WriteOutcome): EffectOutcome {
  switch (outcome.kind) {
    case 'done':
    case 'exists':
      return { kind: 'done' };
    case 'refused':
      return { kind: 'refused', what, reason: `${outcome.reason}: ${outcome.message}` };
    case 'unclear':
      return { kind: 'unclear', what, reason: outcome.cause };
    case 'rate-limited':
      return { kind: 'rate-limited', what, retryAtMs: outcome.retryAtMs };
  }
}
