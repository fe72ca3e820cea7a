import { isBilling } from '../claude/limit-texts.ts';
import type { HeardLimit } from './heard-limit.ts';
import type { SlotLoss } from './key-slots.ts';

export interface LostSlot {
  readonly why: SlotLoss;
  /** ISO 8601; null when nobody said. */
  readonly resetsAt: string | null;
}

/**
 * Whether an error says that the key itself is of no more use, and why. A key that has worked before and gets a 403 is refused
 * one thing, not everything.
 */
export function slotLoss(
  status: number,
  text: string,
  heard: HeardLimit | null,
  hasWorked: boolean,
  now: number,
): LostSlot | null {
  if (heard?.why === 'usage-limit')
    return {
      why: 'usage-limit',
      resetsAt: heard.named ? new Date(Math.round(now + heard.forMs)).toISOString() : null,
    };
  if (status === 401) return { why: 'invalid-api-key', resetsAt: null };
  if (status === 402 || (status < 500 && isBilling(text))) return { why: 'billing', resetsAt: null };
  return status === 403 && !hasWorked ? { why: 'forbidden', resetsAt: null } : null;
}
