import type { MicroUsd } from '../domain/ids.ts';

/** Tokens of one answer, as the API counts them. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  /** All that was written to the cache. */
  readonly cacheWriteTokens: number;
  /** Those of them that are kept for an hour instead of five minutes; none unless said. */
  readonly cacheWriteLongTokens?: number;
}

/** Micro-dollars per token, which is dollars per million tokens. */
interface Price {
  readonly input: number;
  readonly output: number;
  /** Price of reading from the cache, as a part of `input`; a tenth unless said. */
  readonly cacheRead?: number;
  /** All prices of an answer are multiplied by `times` when its prompt is longer than `tokens`. */
  readonly long?: { readonly tokens: number; readonly times: number };
}

const opus4: Price = { input: 15, output: 75 };
const opus: Price = { input: 5, output: 25 };
const sonnet: Price = { input: 3, output: 15 };
const fable: Price = { input: 10, output: 50 };

/** List prices of the Messages API (platform.claude.com/docs/en/about-claude/pricing), by a model's id without its date. */
const prices: ReadonlyMap<string, Price> = new Map<string, Price>([
  ['claude-fable-5', fable],
  ['claude-fable-5-1', { ...fable, cacheRead: 0.025 }],
  ['claude-mythos-5', fable],
  ['claude-mythos-5-1', { ...fable, cacheRead: 0.025 }],
  ['claude-opus-5-5', { input: 4, output: 20, cacheRead: 0.05 }],
  ['claude-opus-5', opus],
  ['claude-opus-4-8', opus],
  ['claude-opus-4-7', opus],
  ['claude-opus-4-6', opus],
  ['claude-opus-4-5', opus],
  ['claude-opus-4-1', opus4],
  ['claude-opus-4-0', opus4],
  ['claude-opus-4', opus4],
  ['claude-3-opus', opus4],
  ['claude-sonnet-5-5', { input: 2, output: 10, cacheRead: 0.05 }],
  ['claude-sonnet-5', { input: 2, output: 10 }],
  ['claude-sonnet-4-6', sonnet],
  ['claude-sonnet-4-5', sonnet],
  ['claude-sonnet-4-0', sonnet],
  ['claude-sonnet-4', sonnet],
  ['claude-3-7-sonnet', sonnet],
  ['claude-3-5-sonnet', sonnet],
  ['claude-haiku-5-5', { input: 0.1, output: 0.5, long: { tokens: 100_000, times: 5 } }],
  ['claude-haiku-4-5', { input: 1, output: 5 }],
  ['claude-3-5-haiku', { input: 0.8, output: 4 }],
  ['claude-3-haiku', { input: 0.25, output: 1.25 }],
]);

const dearest: Price = [...prices.values()].reduce((left, right) =>
  right.output > left.output ? right : left,
);

export interface Cost {
  readonly microUsd: MicroUsd;
  /** False: the model is unknown and was taken at the dearest known price, never at nothing. */
  readonly known: boolean;
}

/**
 * List price of one answer in whole micro-dollars, rounded up: cache reads at a tenth of the input price unless the list says
 * otherwise, cache writes at five quarters, those for an hour at twice. A figure that is no number counts as nothing.
 */
export function costOf(model: string | null, usage: TokenUsage): Cost {
  const found = prices.get(plainModel(model ?? ''));
  const price = found ?? dearest;
  const [input, output] = [counted(usage.inputTokens), counted(usage.outputTokens)];
  const [read, write] = [counted(usage.cacheReadTokens), counted(usage.cacheWriteTokens)];
  const forAnHour = Math.min(write, counted(usage.cacheWriteLongTokens ?? 0));
  const inputs = input + read * (price.cacheRead ?? 0.1) + (write - forAnHour) * 1.25 + forAnHour * 2;
  const isLong = price.long !== undefined && input + read + write > price.long.tokens;
  const times = isLong ? (price.long?.times ?? 1) : 1;
  // Rounded at a thousandth first: 0.1 and 1.25 are no exact binary fractions.
  const exact = Math.round((inputs * price.input + output * price.output) * times * 1000) / 1000;
  return { microUsd: Math.ceil(exact), known: found !== undefined };
}

/** A model's id without the prefix of a cloud and without date, version or window size. */
function plainModel(model: string): string {
  return model
    .replace(/^(?:[a-z]{2,6}\.)?anthropic\./, '')
    .replace(/(?:\[1m\]|-latest|[-@]\d{8}|-v\d+(?::\d+)?)+$/, '');
}

function counted(tokens: number): number {
  return Number.isFinite(tokens) && tokens > 0 ? tokens : 0;
}
