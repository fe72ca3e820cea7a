import type { MicroUsd } from '../../domain/ids.ts';
import type { GatewayEvent } from '../gateway/gateway-event.ts';

/** What a stream could not be read for, and what is odd about a run. */
export type StreamWarning =
  | 'unreadable-line'
  | 'overlong-line'
  | 'cut-line'
  | 'unknown-model'
  | 'untested-version'
  | 'mcp-server-failed'
  | 'mcp-server-pending'
  | 'many-tool-calls';

/**
 * What a run tells about its progress while it goes on: numbers, ids of models and tools, words of fixed sets. Never a text
 * that the agent wrote.
 */
export type ProgressEvent =
  | {
      readonly type: 'run-started';
      readonly model: string | null;
      readonly version: string | null;
      readonly failedServers: number;
    }
  | { readonly type: 'tool-called'; readonly tool: string; readonly toolCalls: number }
  | { readonly type: 'tool-ended'; readonly failed: boolean }
  | ({ readonly type: 'cost-update' } & CostUpdate)
  | {
      readonly type: 'retry-scheduled';
      readonly attempt: number;
      readonly maxRetries: number;
      readonly delayMs: number;
      readonly status: number | null;
    }
  | { readonly type: 'model-changed'; readonly model: string | null }
  | { readonly type: 'context-compacted' }
  | { readonly type: 'permission-denied'; readonly tool: string }
  | { readonly type: 'warning'; readonly warning: StreamWarning; readonly count: number }
  | {
      readonly type: 'run-ended';
      readonly subtype: string;
      readonly isError: boolean;
      readonly turns: number;
      readonly denials: number;
    };

/** Live figures, as far as the stream has shown them: a lower bound, at list prices. */
export interface CostUpdate {
  readonly microUsd: MicroUsd;
  readonly estimated: true;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly turns: number;
  readonly toolCalls: number;
}

/** One line of NDJSON; `ts` is UTC with milliseconds. */
export function progressLine(event: ProgressEvent | GatewayEvent, now: number): string {
  return `${JSON.stringify({ ts: new Date(now).toISOString(), ...event })}\n`;
}

/** A word or an id as the stream names it, or `other` when it holds what such a name does not. */
export function plainName(text: string | null): string {
  return text !== null && /^[A-Za-z0-9_.:@/[\]-]{1,100}$/.test(text) ? text : 'other';
}
