import type { MicroUsd } from '../../domain/ids.ts';
import type { InitEvent, ResultEvent } from './events.ts';

/** Everything that a run's stream has told so far. */
export interface StreamSummary {
  readonly init: InitEvent | null;
  /** The last one counts: a run may print several. */
  readonly result: ResultEvent | null;
  /** Whether the CLI began another turn after its last result: then that result is not the run's. */
  readonly turnOpen: boolean;
  /** The `error` word of the last answer that the CLI itself made up. */
  readonly assistantError: string | null;
  /** Whether that answer was the main agent's last: no answer of a model came after it. */
  readonly endedInError: boolean;
  readonly retries: number;
  /** HTTP status of the last retry; null when there was none or no answer at all. */
  readonly lastRetryStatus: number | null;
  readonly events: number;
  readonly toolCalls: number;
  readonly toolResults: number;
  /** Those of the tool results that tell of an error or a refusal. */
  readonly toolErrors: number;
  /** Lines that are no JSON object. */
  readonly unreadable: number;
  /** Lines over the reader's limit, which were left out. */
  readonly overlong: number;
  /** True when the stream ended within a line. */
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
  /** Model of the last answer. */
  readonly model: string | null;
  /** At list prices, each answer by its own model. */
  readonly microUsd: MicroUsd;
  /** A model without a known price, which was counted at the dearest. */
  readonly unknownModel: string | null;
}
