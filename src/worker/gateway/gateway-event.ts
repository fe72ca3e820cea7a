import type { MicroUsd } from '../../domain/ids.ts';

/** Why a gateway lets nothing more through. Words of the outcome table. */
export type GatewayStopReason =
  | 'max-cost'
  | 'max-turns'
  | 'wall-clock'
  | 'invalid-api-key'
  | 'forbidden'
  | 'billing'
  | 'usage-limit';

export interface GatewayStop {
  readonly reason: GatewayStopReason;
  /** When a usage limit ends, in ISO 8601; null when there is none or it is not told. */
  readonly resetsAt: string | null;
}

export type LimitWord = 'rate-limit' | 'overloaded' | 'usage-limit';

/** What a gateway tells about its work: numbers, ids and words of fixed sets; no key, no header, no text of anybody. */
export type GatewayEvent =
  | {
      readonly type: 'model-answered';
      readonly status: number;
      readonly microUsd: MicroUsd;
      readonly totalMicroUsd: MicroUsd;
      readonly estimated: boolean;
    }
  | {
      readonly type: 'model-waiting';
      readonly why: LimitWord | 'money' | 'slot';
      /** How long the wait is known to take at least. */
      readonly waitMs: number;
      /** Requests of this machine that are served before. */
      readonly ahead: number;
    }
  | { readonly type: 'model-stalled'; readonly silentMs: number }
  | { readonly type: 'model-unreachable'; readonly code: string }
  | {
      readonly type: 'slot-lost';
      /** From 1, in the order of the configuration. */
      readonly slot: number;
      readonly left: number;
      readonly of: number;
      readonly why: string;
      readonly until: string | null;
    }
  | { readonly type: 'gateway-stopped'; readonly reason: GatewayStopReason };
