import { z } from 'zod';

const count = z.number().finite().nonnegative().catch(0);

/** What the API counts. Of the cache writes, those that last an hour are told apart, because they cost more. */
export const usageSchema = z
  .object({
    input_tokens: count.default(0),
    output_tokens: count.default(0),
    cache_read_input_tokens: count.default(0),
    cache_creation_input_tokens: count.default(0),
    cache_creation: z
      .object({ ephemeral_1h_input_tokens: count.default(0) })
      .nullish()
      .catch(null),
  })
  .transform(({ cache_creation, ...rest }) => ({
    ...rest,
    cache_creation_long_input_tokens: cache_creation?.ephemeral_1h_input_tokens ?? 0,
  }))
  .catch({
    input_tokens: 0,
    output_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_creation_long_input_tokens: 0,
  });
export type Usage = z.infer<typeof usageSchema>;

const text = z.string().nullable().catch(null).default(null);

export const initEventSchema = z.object({
  session_id: text,
  model: text,
  permissionMode: text,
  claude_code_version: text,
  tools: z.array(z.string()).catch([]).default([]),
  mcp_servers: z
    .array(z.object({ name: z.string(), status: z.string() }))
    .catch([])
    .default([]),
});
export type InitEvent = z.infer<typeof initEventSchema>;

export const retryEventSchema = z.object({
  attempt: count.default(0),
  max_retries: count.default(0),
  retry_delay_ms: count.default(0),
  error_status: z.number().nullable().catch(null).default(null),
  error: text,
});

const modelUsageSchema = z.record(
  z.string(),
  z.object({
    inputTokens: count.default(0),
    outputTokens: count.default(0),
    cacheReadInputTokens: count.default(0),
    cacheCreationInputTokens: count.default(0),
    costUSD: count.default(0),
  }),
);

/**
 * The last word of a run. `subtype: success` does not mean success: every API failure has it, with `is_error: true`.
 */
export const resultEventSchema = z.object({
  subtype: z.string().catch('').default(''),
  /** Null when the event does not say: it is then no report. */
  is_error: z.boolean().nullable().catch(null).default(null),
  api_error_status: z.number().nullable().catch(null).default(null),
  result: text,
  errors: z.array(z.string()).catch([]).default([]),
  stop_reason: text,
  terminal_reason: text,
  num_turns: count.default(0),
  total_cost_usd: z.number().finite().nonnegative().nullable().catch(null).default(null),
  modelUsage: modelUsageSchema.catch({}).default({}),
  permission_denials: z.array(z.unknown()).catch([]).default([]),
  structured_output: z.unknown().optional(),
});
export type ResultEvent = z.infer<typeof resultEventSchema>;
