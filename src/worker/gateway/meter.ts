import { z } from 'zod';
import { usageSchema } from '../claude/events.ts';
import type { TokenUsage } from '../prices.ts';

export interface MeteredAnswer {
  readonly model: string | null;
  readonly usage: TokenUsage;
  /** False when the answer broke off before its final figures: the usage is then a lower bound. */
  readonly complete: boolean;
}

const messageSchema = z.object({
  model: z.string().nullable().catch(null).default(null),
  usage: usageSchema.optional(),
});
const startSchema = z.object({ type: z.literal('message_start'), message: messageSchema });
const deltaSchema = z.object({ type: z.literal('message_delta'), usage: usageSchema.optional() });

/** Reads the usage out of one answer of the Messages API while its bytes pass by. Keeps figures, never content. */
export interface Meter {
  push(bytes: Uint8Array): void;
  /** The figures at the end; null when the answer held none (an error, or another kind of call). */
  end(): MeteredAnswer | null;
}

/** For `text/event-stream` answers: the start's figures, then the last delta's. */
export function createStreamMeter(): Meter {
  const decoder = new TextDecoder();
  let rest = '';
  let model: string | null = null;
  let usage: TokenUsage | null = null;
  let complete = false;
  const take = (line: string) => {
    if (!line.startsWith('data:')) return;
    const event = parseJson(line.slice('data:'.length));
    const start = startSchema.safeParse(event);
    if (start.success) {
      model = start.data.message.model;
      usage = start.data.message.usage === undefined ? null : tokens(start.data.message.usage);
    }
    const delta = deltaSchema.safeParse(event);
    if (delta.success && delta.data.usage !== undefined) {
      usage = larger(usage, tokens(delta.data.usage));
      complete = true;
    }
  };
  return {
    push: (bytes) => {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n/);
      rest = lines.pop() ?? '';
      for (const line of lines) take(line);
    },
    end: () => {
      take(rest);
      return usage === null ? null : { model, usage, complete };
    },
  };
}

/** For JSON answers, which come whole or not at all. */
export function createJsonMeter(): Meter {
  const parts: Uint8Array[] = [];
  return {
    push: (bytes) => void parts.push(Uint8Array.from(bytes)),
    end: () => {
      const parsed = messageSchema.safeParse(parseJson(Buffer.concat(parts).toString('utf8')));
      if (!parsed.success || parsed.data.usage === undefined) return null;
      return { model: parsed.data.model, usage: tokens(parsed.data.usage), complete: true };
    },
  };
}

function tokens(usage: z.infer<typeof usageSchema>): TokenUsage {
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens: usage.cache_read_input_tokens,
    cacheWriteTokens: usage.cache_creation_input_tokens,
    cacheWriteLongTokens: usage.cache_creation_long_input_tokens,
  };
}

function larger(start: TokenUsage | null, end: TokenUsage): TokenUsage {
  if (start === null) return end;
  return {
    inputTokens: Math.max(start.inputTokens, end.inputTokens),
    outputTokens: Math.max(start.outputTokens, end.outputTokens),
    cacheReadTokens: Math.max(start.cacheReadTokens, end.cacheReadTokens),
    cacheWriteTokens: Math.max(start.cacheWriteTokens, end.cacheWriteTokens),
    cacheWriteLongTokens: Math.max(start.cacheWriteLongTokens ?? 0, end.cacheWriteLongTokens ?? 0),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
