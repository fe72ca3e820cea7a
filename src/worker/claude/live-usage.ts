import type { Usage } from './events.ts';

/** More messages than any run has: what comes after them is not counted, so that a stream cannot use up the memory. */
const mostMessages = 100_000;

const none: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

/** What each message of a stream has used, and the sum of it, kept up to date at the same small cost for each line. */
export class LiveUsage {
  readonly #usages = new Map<string, Usage>();
  #sum = none;

  get messages(): number {
    return this.#usages.size;
  }

  get sum(): Usage {
    return this.#sum;
  }

  /** Each block of one message repeats the usage; its output figure is the one at the start. */
  first(id: string, usage: Usage): void {
    if (!this.#usages.has(id)) this.start(id, usage);
  }

  start(id: string, usage: Usage): void {
    if (!this.#usages.has(id) && this.#usages.size >= mostMessages) return;
    this.#sum = combine(this.#sum, combine(usage, this.#usages.get(id) ?? none, minus), plus);
    this.#usages.set(id, usage);
  }

  /** A final delta repeats the start's figures or leaves them out: the larger of both is the truth. */
  end(id: string, usage: Usage): void {
    this.start(id, combine(this.#usages.get(id) ?? none, usage, Math.max));
  }
}

const plus = (left: number, right: number): number => left + right;
const minus = (left: number, right: number): number => left - right;

function combine(left: Usage, right: Usage, by: (left: number, right: number) => number): Usage {
  return {
    input_tokens: by(left.input_tokens, right.input_tokens),
    output_tokens: by(left.output_tokens, right.output_tokens),
    cache_read_input_tokens: by(left.cache_read_input_tokens, right.cache_read_input_tokens),
    cache_creation_input_tokens: by(left.cache_creation_input_tokens, right.cache_creation_input_tokens),
  };
}
