import { z } from 'zod';
import { microUsdSchema } from './ids.ts';

/** Bounds of one attempt, part of its contract. Times in milliseconds. */
export const limitsSchema = z.strictObject({
  maxMicroUsd: microUsdSchema,
  maxTurns: z.number().int().min(1),
  maxTries: z.number().int().min(1),
  wallClockMs: z.number().int().positive(),
  /** Longest silence of the agent's stream before it is taken for stalled. */
  silenceMs: z.number().int().positive(),
});
export type Limits = z.infer<typeof limitsSchema>;

/** What a task has used up so far, over all its generations. */
export const spentSchema = z.strictObject({
  microUsd: microUsdSchema,
  tries: z.number().int().min(0),
  generations: z.number().int().min(0),
  queueEntries: z.number().int().min(0),
});
export type Spent = z.infer<typeof spentSchema>;

export function usdToMicro(usd: number): number {
  return Math.round(usd * 1_000_000);
}
