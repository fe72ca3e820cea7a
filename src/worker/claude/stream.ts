import {
  assistantEventSchema,
  deltaEventSchema,
  type InitEvent,
  initEventSchema,
  type ResultEvent,
  resultEventSchema,
  retryEventSchema,
} from './events.ts';
import { LiveUsage } from './live-usage.ts';

/** Everything that a run's stream has told so far. */
export interface StreamSummary {
  readonly init: InitEvent | null;
  /** The last one counts: a run may print several. */
  readonly result: ResultEvent | null;
  /** The `error` word of the last answer that the CLI itself made up. */
  readonly assistantError: string | null;
  readonly retries: number;
  /** HTTP status of the last retry; null when there was none or no answer at all. */
  readonly lastRetryStatus: number | null;
  readonly events: number;
  readonly toolCalls: number;
  /** Lines that are no JSON object, and lines over the reader's limit. */
  readonly unreadable: number;
  readonly lastLineCut: boolean;
  /** Sum of what the stream has shown: a lower bound, because subagents are not streamed. */
  readonly live: LiveTotals;
}

export interface LiveTotals {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly messages: number;
  readonly model: string | null;
}

/** What one line meant to a listener. */
export type StreamNews = 'tool-results' | 'retry' | 'result' | 'init' | 'other';

/**
 * Reads `stream-json` line by line. Never throws: whatever is not understood is counted and left behind, and what a
 * field of a wrong type would have said is taken as absent.
 */
export class StreamReader {
  #init: InitEvent | null = null;
  #result: ResultEvent | null = null;
  #assistantError: string | null = null;
  #retries = 0;
  #lastRetryStatus: number | null = null;
  #events = 0;
  #toolCalls = 0;
  #unreadable = 0;
  #cut = false;
  #model: string | null = null;
  readonly #usage = new LiveUsage();
  #openMessage: string | null = null;

  push(text: string | null, cut = false): StreamNews {
    if (cut) this.#cut = true;
    if (text === '') return 'other';
    const event = text === null ? null : parseObject(text);
    if (event === null) {
      this.#unreadable += 1;
      return 'other';
    }
    this.#events += 1;
    return this.#take(event);
  }

  get summary(): StreamSummary {
    return {
      init: this.#init,
      result: this.#result,
      assistantError: this.#assistantError,
      retries: this.#retries,
      lastRetryStatus: this.#lastRetryStatus,
      events: this.#events,
      toolCalls: this.#toolCalls,
      unreadable: this.#unreadable,
      lastLineCut: this.#cut,
      live: this.#live(),
    };
  }

  #take(event: Record<string, unknown>): StreamNews {
    switch (event.type) {
      case 'system':
        return this.#takeSystem(event);
      case 'assistant':
        return this.#takeAssistant(event);
      case 'user':
        return 'tool-results';
      case 'stream_event':
        return this.#takeDelta(event);
      case 'result': {
        const parsed = resultEventSchema.safeParse(event);
        if (parsed.success) this.#result = parsed.data;
        return 'result';
      }
      default:
        return 'other';
    }
  }

  #takeSystem(event: Record<string, unknown>): StreamNews {
    if (event.subtype === 'init') {
      const parsed = initEventSchema.safeParse(event);
      if (parsed.success) this.#init = parsed.data;
      return 'init';
    }
    if (event.subtype !== 'api_retry') return 'other';
    const parsed = retryEventSchema.safeParse(event);
    this.#retries += 1;
    this.#lastRetryStatus = parsed.success ? parsed.data.error_status : null;
    return 'retry';
  }

  #takeAssistant(event: Record<string, unknown>): StreamNews {
    const parsed = assistantEventSchema.safeParse(event);
    if (!parsed.success) return 'other';
    const { error, message } = parsed.data;
    if (error !== null) this.#assistantError = error;
    this.#toolCalls += message.content.filter((block) => block.type === 'tool_use').length;
    if (message.model === '<synthetic>') return 'other';
    if (message.model !== null) this.#model = message.model;
    if (message.id !== null && message.usage !== undefined) this.#usage.first(message.id, message.usage);
    return 'other';
  }

  #takeDelta(event: Record<string, unknown>): StreamNews {
    const parsed = deltaEventSchema.safeParse(event);
    if (!parsed.success) return 'other';
    const { type, message, usage } = parsed.data.event;
    if (type === 'message_start') this.#openMessage = message?.id ?? null;
    if (type === 'message_start' && message?.id !== undefined && message.usage !== undefined) {
      this.#usage.start(message.id, message.usage);
    }
    if (type === 'message_delta' && usage !== undefined && this.#openMessage !== null) {
      this.#usage.end(this.#openMessage, usage);
    }
    return 'other';
  }

  #live(): LiveTotals {
    const { sum, messages } = this.#usage;
    return {
      inputTokens: sum.input_tokens,
      outputTokens: sum.output_tokens,
      cacheReadTokens: sum.cache_read_input_tokens,
      cacheWriteTokens: sum.cache_creation_input_tokens,
      messages,
      model: this.#model,
    };
  }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
