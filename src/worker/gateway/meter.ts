import { z } from 'zod';
import { usageSchema } from '../claude/events.ts';
import type { TokenUsage } from '../prices.ts';
import { eachLine } from './lines.ts';

export interface MeteredAnswer {
  readonly model: string | null;
  readonly usage: TokenUsage;
  /** Searches of the web that the API made for the answer; they are billed by number. */
  readonly searches: number;
  /** False when the usage is no exact figure: the answer broke off, or told none. */
  readonly complete: boolean;
}

const paidSchema = z
  .object({
    server_tool_use: z.object({ web_search_requests: z.number().int().min(0).catch(0).default(0) }).nullish(),
    speed: z.string().nullish(),
    service_tier: z.string().nullish(),
  })
  .catch({});
const reportedSchema = z.looseObject({}).transform((value) => {
  const paid = paidSchema.parse(value);
  return {
    tokens: usageSchema.parse(value),
    searches: paid.server_tool_use?.web_search_requests ?? 0,
    // Priority and fast answers have prices of their own.
    listPrice: (paid.speed ?? 'standard') === 'standard' && paid.service_tier !== 'priority',
  };
});
type Reported = z.infer<typeof reportedSchema>;

const messageSchema = z.object({
  model: z.string().nullable().catch(null).default(null),
  usage: reportedSchema.optional().catch(undefined),
});
const startSchema = z.object({ type: z.literal('message_start'), message: messageSchema });
const deltaSchema = z.object({
  type: z.literal('message_delta'),
  usage: reportedSchema.optional().catch(undefined),
});

/** Reads the usage out of one answer of the Messages API while its bytes pass by. Keeps figures, never content. */
export interface Meter {
  push(bytes: Uint8Array): void;
  /** The figures at the end; null when the answer told none. */
  end(): MeteredAnswer | null;
}

/** Longest line of which the figures are wanted; those of content may be longer and are only measured. */
const longestLine = 1024 * 1024;
/** What an event of content is made of besides the content. */
const frameBytes = 90;
export const bytesPerToken = 3;

const data = Buffer.from('data:');
const wanted = [Buffer.from('message_start'), Buffer.from('message_delta')] as const;
const content = Buffer.from('content_block_delta');

/**
 * For `text/event-stream` answers: the start's figures, then the last delta's. The figures of an answer that broke off before
 * are completed by what was seen of its content, so that breaking answers off is no way to have them for nothing.
 */
export function createStreamMeter(): Meter {
  let model: string | null = null;
  let reported: Reported | null = null;
  let complete = false;
  let deltas = 0;
  let deltaBytes = 0;
  const take = (line: Buffer, bytes: number) => {
    if (!line.subarray(0, data.length).equals(data)) return;
    if (line.includes(content)) {
      deltas += 1;
      deltaBytes += bytes;
    }
    if (bytes > longestLine || !wanted.some((name) => line.includes(name))) return;
    const event = parseJson(line.subarray(data.length).toString('utf8'));
    const start = startSchema.safeParse(event);
    if (start.success) {
      model = start.data.message.model;
      reported = start.data.message.usage ?? null;
    }
    const delta = deltaSchema.safeParse(event);
    if (delta.success && delta.data.usage !== undefined) {
      reported = larger(reported, delta.data.usage);
      complete = true;
    }
  };
  const lines = eachLine(longestLine, take);
  return {
    push: (bytes) => lines.push(bytes),
    end: () => {
      lines.end();
      if (reported === null) return null;
      const seen = Math.max(deltas, Math.floor((deltaBytes - deltas * frameBytes) / bytesPerToken));
      const usage = tokens(reported);
      const outputTokens = complete ? usage.outputTokens : Math.max(usage.outputTokens, seen);
      const { searches, listPrice } = reported;
      return { model, usage: { ...usage, outputTokens }, searches, complete: complete && listPrice };
    },
  };
}

/** Longest JSON answer that is read for its figures. */
const longestJson = 16 * 1024 * 1024;

/** For JSON answers, which come whole or not at all. */
export function createJsonMeter(): Meter {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  return {
    push: (part) => {
      bytes += part.length;
      if (bytes <= longestJson) parts.push(Uint8Array.from(part));
      else parts = [];
    },
    end: () => {
      const parsed = messageSchema.safeParse(parseJson(Buffer.concat(parts).toString('utf8')));
      if (!parsed.success || parsed.data.usage === undefined) return null;
      const { model, usage } = parsed.data;
      return { model, usage: tokens(usage), searches: usage.searches, complete: usage.listPrice };
    },
  };
}

/**
 * What an answer is taken for whose figures could not be read, although it was a success: by the size of request and answer,
 * marked as no exact figure. Never for nothing.
 */
export function estimatedAnswer(model: string, requestBytes: number, answerBytes: number): MeteredAnswer {
  return {
    model,
    usage: {
      inputTokens: Math.ceil(requestBytes / bytesPerToken),
      outputTokens: Math.ceil(answerBytes / bytesPerToken),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    },
    searches: 0,
    complete: false,
  };
}

function tokens({ tokens: usage }: Reported): TokenUsage {
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens: usage.cache_read_input_tokens,
    cacheWriteTokens: usage.cache_creation_input_tokens,
    cacheWriteLongTokens: usage.cache_creation_long_input_tokens,
  };
}

function larger(start: Reported | null, end: Reported): Reported {
  if (start === null) return end;
  const most = { ...end.tokens };
  for (const name of Object.keys(most) as (keyof typeof most)[])
    most[name] = Math.max(start.tokens[name], end.tokens[name]);
  return {
    tokens: most,
    searches: Math.max(start.searches, end.searches),
    listPrice: start.listPrice && end.listPrice,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
