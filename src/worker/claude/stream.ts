import {
  type InitEvent,
  initEventSchema,
  type ResultEvent,
  resultEventSchema,
  retryEventSchema,
} from './events.ts';
import { skipSpace } from './json-scan.ts';
import { LineSplitter } from './line-splitter.ts';
import { type EventPeek, type MessagePeek, peekEvent, type Span } from './peek.ts';
import { type ProgressEvent, plainName, type StreamWarning } from './progress-event.ts';
import type { StreamSummary } from './stream-summary.ts';
import { StreamUsage } from './stream-usage.ts';
import { isTestedVersion } from './tested-versions.ts';

/** What one line meant to a listener. */
export type StreamNews = 'tool-results' | 'retry' | 'result' | 'init' | 'other';

export interface StreamListener {
  /** Called for each line that was understood. */
  readonly onNews?: (news: StreamNews) => void;
  readonly onProgress?: (event: ProgressEvent) => void;
}

/** A run that calls tools this often has lost its way: told once, and left to its limits. */
const manyToolCalls = 200;

/** An answer is repeated whole in its result line: a limit of some megabytes would lose real results. */
const mostLineBytes = 32 * 1024 * 1024;

/**
 * Reads `stream-json` as its bytes come, cut anywhere. Never throws: whatever is not understood is counted and left behind, and
 * what a field of a wrong type would have said is taken as absent. Only events whose fields matter are parsed; the others, and
 * the texts in them, are stepped over, which is what makes it fast. A line over the limit is left out, counted and said.
 */
export class StreamReader {
  readonly #listener: StreamListener;
  readonly #lines: LineSplitter;
  readonly #usage = new StreamUsage();
  readonly #warned: Partial<Record<StreamWarning, number>> = {};
  #init: InitEvent | null = null;
  #result: ResultEvent | null = null;
  #turnOpen = false;
  #assistantError: string | null = null;
  #endedInError = false;
  #retries = 0;
  #lastRetryStatus: number | null = null;
  #events = 0;
  #toolCalls = 0;
  #toolResults = 0;
  #toolErrors = 0;

  constructor(listener: StreamListener = {}, maxLineBytes: number = mostLineBytes) {
    this.#listener = listener;
    this.#lines = new LineSplitter(
      maxLineBytes,
      (bytes, start, end) => this.#line(bytes, start, end),
      () => this.#warn('overlong-line'),
    );
  }

  push(bytes: Uint8Array): void {
    this.#lines.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }

  /** To be called once, after the last byte. A last line without an end counts when it is whole. */
  end(): void {
    this.#lines.end((bytes, start, end) => {
      if (skipSpace(bytes, start, end) === end) return;
      if (parseObject(bytes, { start, end }) === null) this.#warn('cut-line');
      else this.#line(bytes, start, end);
    });
  }

  get result(): ResultEvent | null {
    return this.#result;
  }

  get lastRetryStatus(): number | null {
    return this.#lastRetryStatus;
  }

  get summary(): StreamSummary {
    return {
      init: this.#init,
      result: this.#result,
      turnOpen: this.#turnOpen,
      assistantError: this.#assistantError,
      endedInError: this.#endedInError,
      retries: this.#retries,
      lastRetryStatus: this.#lastRetryStatus,
      events: this.#events,
      toolCalls: this.#toolCalls,
      toolResults: this.#toolResults,
      toolErrors: this.#toolErrors,
      unreadable: this.#warned['unreadable-line'] ?? 0,
      overlong: this.#warned['overlong-line'] ?? 0,
      lastLineCut: this.#warned['cut-line'] !== undefined,
      live: this.#usage.live,
    };
  }

  #line(bytes: Buffer, lineStart: number, lineEnd: number): void {
    const start = skipSpace(bytes, lineStart, lineEnd);
    if (start === lineEnd) return;
    let end = lineEnd;
    while (bytes[end - 1] === 0x0d || bytes[end - 1] === 0x20 || bytes[end - 1] === 0x09) end -= 1;
    const head = peekEvent(bytes, start, end);
    const news = head === null ? null : this.#take(head, bytes, { start, end });
    if (news === null) {
      this.#warn('unreadable-line');
      return;
    }
    this.#events += 1;
    this.#listener.onNews?.(news);
  }

  /** Null when the line turned out to be no JSON after all. */
  #take(head: EventPeek, bytes: Buffer, line: Span): StreamNews | null {
    switch (head.type) {
      case 'assistant':
        if (head.message !== null) this.#takeAssistant(head, head.message);
        return 'other';
      case 'user':
        for (const failed of head.message?.results ?? []) this.#takeToolResult(failed);
        return 'tool-results';
      case 'stream_event':
        if (head.event !== null && this.#usage.takeDelta(head.event, head.isNested)) this.#tellCost();
        return 'other';
      case 'system':
        return knownSystem.has(head.subtype ?? '')
          ? this.#takeSystem(head, parseObject(bytes, line))
          : 'other';
      case 'result':
        return this.#takeResult(parseObject(bytes, line));
      default:
        return 'other';
    }
  }

  #takeSystem(head: EventPeek, event: Record<string, unknown> | null): StreamNews | null {
    if (event === null) return null;
    switch (head.subtype) {
      case 'init':
        this.#takeInit(event);
        return 'init';
      case 'api_retry':
        this.#takeRetry(event);
        return 'retry';
      case 'model_fallback':
        this.#tell({ type: 'model-changed', model: nameIn(event, 'fallback_model') });
        return 'other';
      case 'compact_boundary':
        this.#tell({ type: 'context-compacted' });
        return 'other';
      default:
        this.#tell({ type: 'permission-denied', tool: nameIn(event, 'tool_name') });
        return 'other';
    }
  }

  #takeInit(event: Record<string, unknown>): void {
    this.#turnOpen = true;
    const parsed = initEventSchema.safeParse(event);
    if (!parsed.success) return;
    this.#init = parsed.data;
    const { model, claude_code_version: version, mcp_servers: servers } = parsed.data;
    this.#tell({
      type: 'run-started',
      model: model === null ? null : plainName(model),
      version: version === null ? null : plainName(version),
      failedServers: servers.filter(({ status }) => status === 'failed').length,
    });
    this.#warnOfStart(version, servers);
  }

  /** A server that does not come fails no run by itself: the agent works without its tools. */
  #warnOfStart(version: string | null, servers: InitEvent['mcp_servers']): void {
    if (!isTestedVersion(version)) this.#warnOnce('untested-version', 1);
    const failed = servers.filter(({ status }) => status === 'failed').length;
    const pending = servers.filter(({ status }) => status === 'pending').length;
    if (failed > 0) this.#warnOnce('mcp-server-failed', failed);
    if (pending > 0) this.#warnOnce('mcp-server-pending', pending);
  }

  #takeRetry(event: Record<string, unknown>): void {
    this.#retries += 1;
    const parsed = retryEventSchema.safeParse(event);
    this.#lastRetryStatus = parsed.success ? parsed.data.error_status : null;
    if (!parsed.success) return;
    const { attempt, max_retries: maxRetries, retry_delay_ms: delay, error_status: status } = parsed.data;
    this.#tell({ type: 'retry-scheduled', attempt, maxRetries, delayMs: Math.round(delay), status });
  }

  #takeResult(event: Record<string, unknown> | null): StreamNews | null {
    const parsed = resultEventSchema.safeParse(event);
    if (!parsed.success) return null;
    this.#result = parsed.data;
    this.#turnOpen = false;
    const { subtype, is_error: isError, num_turns: turns, permission_denials: denials } = parsed.data;
    this.#tell({
      type: 'run-ended',
      subtype: plainName(subtype),
      isError: isError !== false,
      turns,
      denials: denials.length,
    });
    return 'result';
  }

  #takeAssistant(head: EventPeek, message: MessagePeek): void {
    if (head.error !== null) this.#assistantError = head.error;
    if (!head.isNested) this.#endedInError = head.error !== null;
    for (const tool of message.tools) {
      this.#toolCalls += 1;
      this.#tell({ type: 'tool-called', tool: plainName(tool), toolCalls: this.#toolCalls });
      if (this.#toolCalls === manyToolCalls) this.#warnOnce('many-tool-calls', manyToolCalls);
    }
    if (message.model !== '<synthetic>' && this.#usage.takeAnswer(message)) this.#tellCost();
  }

  #takeToolResult(failed: boolean): void {
    this.#toolResults += 1;
    if (failed) this.#toolErrors += 1;
    this.#tell({ type: 'tool-ended', failed });
  }

  #tellCost(): void {
    const { messages: turns, unknownModel, model: _model, ...figures } = this.#usage.live;
    if (unknownModel !== null && this.#warned['unknown-model'] === undefined) this.#warn('unknown-model');
    this.#tell({ type: 'cost-update', ...figures, estimated: true, turns, toolCalls: this.#toolCalls });
  }

  #warn(warning: StreamWarning): void {
    const count = (this.#warned[warning] ?? 0) + 1;
    this.#warned[warning] = count;
    // A stream of nothing but garbage must not become a stream of warnings.
    if (isRound(count)) this.#tell({ type: 'warning', warning, count });
  }

  #warnOnce(warning: StreamWarning, count: number): void {
    if (this.#warned[warning] !== undefined) return;
    this.#warned[warning] = count;
    this.#tell({ type: 'warning', warning, count });
  }

  #tell(event: ProgressEvent): void {
    this.#listener.onProgress?.(event);
  }
}

/** Events of the CLI itself that are parsed; the others are counted. */
const knownSystem: ReadonlySet<string> = new Set([
  'init',
  'api_retry',
  'model_fallback',
  'compact_boundary',
  'permission_denied',
]);

function parseObject(bytes: Buffer, { start, end }: Span): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8', start, end));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function nameIn(event: Record<string, unknown>, key: string): string {
  const value = event[key];
  return plainName(typeof value === 'string' ? value : null);
}

/** 1, 10, 100, … */
function isRound(count: number): boolean {
  return Number.isInteger(Math.log10(count));
}
