import { LiveUsage } from './live-usage.ts';
import type { DeltaPeek, MessagePeek } from './peek.ts';
import type { LiveTotals } from './stream-summary.ts';

/** Reads the figures out of a stream's events: what each answer used, by its own model. */
export class StreamUsage {
  readonly #usage = new LiveUsage();
  /** The message that the main agent, or a subagent, is speaking at the moment. */
  readonly #speaking = { main: null as string | null, nested: null as string | null };
  #model: string | null = null;

  /** An `assistant` event of a model. True when it told something new. */
  takeAnswer({ id, model, usage }: MessagePeek): boolean {
    if (model !== null) this.#model = model;
    // Each block of one message repeats the usage of its start.
    if (id === null || usage === null || this.#usage.has(id)) return false;
    this.#usage.start(id, model, usage);
    return true;
  }

  /** A `stream_event`: only the first and the last one of a message hold figures. True when this one did. */
  takeDelta({ type, message, usage }: DeltaPeek, isNested: boolean): boolean {
    const who = isNested ? 'nested' : 'main';
    if (type === 'message_start') this.#speaking[who] = message?.id ?? null;
    const id = this.#speaking[who];
    if (id === null) return false;
    if (type === 'message_start' && message !== null && message.usage !== null)
      this.#usage.start(id, message.model, message.usage);
    else if (type === 'message_delta' && usage !== null) this.#usage.end(id, usage);
    else return false;
    return true;
  }

  get live(): LiveTotals {
    const { sum, messages, microUsd, unknownModel } = this.#usage;
    return {
      inputTokens: sum.input_tokens,
      outputTokens: sum.output_tokens,
      cacheReadTokens: sum.cache_read_input_tokens,
      cacheWriteTokens: sum.cache_creation_input_tokens,
      messages,
      model: this.#model,
      microUsd,
      unknownModel,
    };
  }
}
