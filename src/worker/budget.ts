import type { MicroUsd } from '../domain/ids.ts';
import type { StreamSummary } from './claude/stream-summary.ts';
import type { GatewayTotals } from './gateway/gateway.ts';

export interface UsedUp {
  /** Null when nothing told a price: an agent that is no model. */
  readonly microUsd: MicroUsd | null;
  readonly estimated: boolean;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly turns: number;
}

export const nothingUsed: UsedUp = {
  microUsd: null,
  estimated: false,
  inputTokens: 0,
  outputTokens: 0,
  turns: 0,
};

/**
 * What one run has cost: the gateway's figure when answers went through it, else the run's own final one, else the live
 * sum, marked as estimated. A run that made no request and named no price has no cost rather than a cost of nothing.
 */
export function runCost(gateway: GatewayTotals | null, summary: StreamSummary): UsedUp {
  const turns = summary.result?.num_turns ?? summary.live.messages;
  if (gateway !== null && gateway.answers > 0) {
    const { microUsd, estimated, inputTokens, outputTokens } = gateway;
    return { microUsd, estimated, inputTokens, outputTokens, turns };
  }
  const { inputTokens, outputTokens, microUsd } = summary.live;
  const tokens = { inputTokens, outputTokens, turns };
  const stated = summary.result?.total_cost_usd ?? null;
  if (stated !== null && stated > 0)
    return { microUsd: Math.ceil(stated * 1e6 - 1e-6), estimated: true, ...tokens };
  if (inputTokens + outputTokens === 0) return { microUsd: null, estimated: false, ...tokens };
  return { microUsd, estimated: true, ...tokens };
}

export function addUsed(left: UsedUp, right: UsedUp): UsedUp {
  const unknown = left.microUsd === null && right.microUsd === null;
  return {
    microUsd: unknown ? null : (left.microUsd ?? 0) + (right.microUsd ?? 0),
    estimated: left.estimated || right.estimated,
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    turns: left.turns + right.turns,
  };
}

/** Spending exactly the limit is allowed; more is not. */
export function isOverBudget(used: UsedUp, maxMicroUsd: MicroUsd): boolean {
  return (used.microUsd ?? 0) > maxMicroUsd;
}

/** What is left for the next run; null when nothing is. */
export function moneyLeft(used: UsedUp, maxMicroUsd: MicroUsd): MicroUsd | null {
  const left = maxMicroUsd - (used.microUsd ?? 0);
  return left > 0 ? left : null;
}
