import type { MicroUsd } from '../domain/ids.ts';

/** Tokens of one answer, as the API counts them. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** Micro-dollars per token, which is dollars per million tokens. */
interface Price {
  readonly input: number;
  readonly output: number;
}

/** Public list prices by the start of a model's id, longest match first. */
const prices: readonly (readonly [string, Price])[] = [
  ['claude-opus-4-1', { input: 15, output: 75 }],
  ['claude-opus-4-2', { input: 15, output: 75 }],
  ['claude-opus', { input: 5, output: 25 }],
  ['claude-sonnet', { input: 3, output: 15 }],
  ['claude-haiku-3', { input: 0.8, output: 4 }],
  ['claude-haiku', { input: 1, output: 5 }],
];

const dearest: Price = { input: 15, output: 75 };

export interface Cost {
  readonly microUsd: MicroUsd;
  /** False: the model is unknown and was taken at the dearest known price, never at nothing. */
  readonly known: boolean;
}

/** List price of one answer: cache reads at a tenth of the input price, cache writes at five quarters. Rounded up. */
export function costOf(model: string | null, usage: TokenUsage): Cost {
  const found = prices.find(([prefix]) => model?.startsWith(prefix) === true)?.[1];
  const price = found ?? dearest;
  const inputs = usage.inputTokens + usage.cacheReadTokens * 0.1 + usage.cacheWriteTokens * 1.25;
  // Rounded at a thousandth first: 0.1 and 1.25 are no exact binary fractions.
  const exact = Math.round((inputs * price.input + usage.outputTokens * price.output) * 1000) / 1000;
  return { microUsd: Math.ceil(exact), known: found !== undefined };
}
