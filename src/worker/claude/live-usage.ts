import type { MicroUsd } from '../../domain/ids.ts';
import { costOf, type TokenUsage } from '../prices.ts';
import type { Usage } from './events.ts';

/** Messages that may still change: far more than subagents speak at once. Older ones stay in the sum alone. */
const openMessages = 1000;

const none: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_creation_long_input_tokens: 0,
};

interface Counted {
  readonly model: string | null;
  readonly usage: Usage;
  readonly microUsd: MicroUsd;
}

/** What each message of a stream has used and cost, summed up at the same small cost for each line and in bounded memory. */
export class LiveUsage {
  readonly #open = new Map<string, Counted>();
  #sum = none;
  #microUsd = 0;
  #messages = 0;
  #unknownModel: string | null = null;

  get messages(): number {
    return this.#messages;
  }

  get sum(): Usage {
    return this.#sum;
  }

  get microUsd(): MicroUsd {
    return this.#microUsd;
  }

  /** The first model whose price is not known; its tokens were counted at the dearest price. */
  get unknownModel(): string | null {
    return this.#unknownModel;
  }

  /** Each block of one message repeats the usage of the start: told once, it need not be read again. */
  has(id: string): boolean {
    return this.#open.has(id);
  }

  start(id: string, model: string | null, usage: Usage): void {
    const before = this.#open.get(id);
    if (before === undefined) {
      this.#messages += 1;
      if (this.#open.size >= openMessages) this.#open.delete(this.#open.keys().next().value ?? '');
    }
    const cost = costOf(model, tokensOf(usage));
    if (!cost.known) this.#unknownModel ??= model ?? 'unnamed';
    this.#sum = combine(this.#sum, combine(usage, before?.usage ?? none, minus), plus);
    this.#microUsd += cost.microUsd - (before?.microUsd ?? 0);
    this.#open.set(id, { model, usage, microUsd: cost.microUsd });
  }

  /** A final delta repeats the start's figures or leaves them out: the larger of both is the truth. */
  end(id: string, usage: Usage): void {
    const before = this.#open.get(id);
    this.start(id, before?.model ?? null, combine(before?.usage ?? none, usage, Math.max));
  }
}

export function tokensOf(usage: Usage): TokenUsage {
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens: usage.cache_read_input_tokens,
    cacheWriteTokens: usage.cache_creation_input_tokens,
    cacheWriteLongTokens: usage.cache_creation_long_input_tokens,
  };
}

function combine(left: Usage, right: Usage, by: (left: number, right: number) => number): Usage {
  return {
    input_tokens: by(left.input_tokens, right.input_tokens),
    output_tokens: by(left.output_tokens, right.output_tokens),
    cache_read_input_tokens: by(left.cache_read_input_tokens, right.cache_read_input_tokens),
    cache_creation_input_tokens: by(left.cache_creation_input_tokens, right.cache_creation_input_tokens),
    cache_creation_long_input_tokens: by(
      left.cache_creation_long_input_tokens,
      right.cache_creation_long_input_tokens,
    ),
  };
}

const plus = (left: number, right: number): number => left + right;
const minus = (left: number, right: number): number => left - right;
