import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { costOf, type TokenUsage } from '../prices.ts';
import { createJsonMeter, createStreamMeter, type Meter } from './meter.ts';

export interface GatewayOptions {
  /** Where the Messages API is; a path in it is kept as prefix. */
  readonly modelUrl: URL;
  /** The real key; null when the address needs none. Never leaves this process but to `modelUrl`. */
  readonly modelKey: string | null;
  /** The key that the child shows; anybody else is turned away. */
  readonly childKey: string;
  /** More than this may not be spent: the answer that crosses it is delivered, the next request is refused. */
  readonly maxMicroUsd: number;
  /** Called once, when the money is used up. */
  readonly onExhausted: () => void;
}

export interface GatewayTotals extends TokenUsage {
  readonly microUsd: number;
  /** True when an answer broke off or a model's price was unknown: the sum is then no exact figure. */
  readonly estimated: boolean;
  readonly requests: number;
  readonly answers: number;
}

export interface Gateway {
  /** Address for the child, on loopback. */
  readonly url: string;
  readonly totals: GatewayTotals;
  /** From now on every request is refused. */
  stop(): void;
  close(): Promise<void>;
}

/** The calls that the agent needs; the real key opens nothing else. */
const allowedPaths = new Set(['/v1/messages', '/v1/messages/count_tokens']);
/** Headers that belong to one connection, or that this side sets itself. */
const ownHeaders = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-api-key',
  'authorization',
  'accept-encoding',
]);

/**
 * Starts the model gateway on a free loopback port: the child has a key of its own, the real one is added here, each
 * answer passes unchanged while its usage is metered. Bodies are neither kept nor logged.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const gateway = new LoopbackGateway(options);
  await gateway.listen();
  return gateway;
}

class LoopbackGateway implements Gateway {
  readonly #options: GatewayOptions;
  readonly #server: Server;
  #totals: GatewayTotals = {
    microUsd: 0,
    estimated: false,
    requests: 0,
    answers: 0,
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  };
  #stopped = false;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#server = createServer((incoming, outgoing) => {
      // A child that goes away in the middle of an answer is an everyday event.
      this.#serve(incoming, outgoing).catch(() => outgoing.destroy());
    });
    this.#server.requestTimeout = 0;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get totals(): GatewayTotals {
    return this.#totals;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, '127.0.0.1', resolve);
    });
  }

  stop(): void {
    this.#stopped = true;
  }

  async close(): Promise<void> {
    this.#stopped = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const refusal = this.#refusal(incoming);
    if (refusal !== null) {
      incoming.resume();
      refuse(outgoing, refusal);
      return;
    }
    this.#totals = { ...this.#totals, requests: this.#totals.requests + 1 };
    const answer = await this.#forward(incoming).catch(() => null);
    if (answer === null) {
      // Broken off there, broken off here: the agent then says what really happened.
      outgoing.destroy();
      return;
    }
    await this.#deliver(answer, outgoing);
  }

  #refusal(incoming: IncomingMessage): Refusal | null {
    const path = new URL(incoming.url ?? '/', 'http://gateway').pathname;
    if (path === '/' && (incoming.method === 'HEAD' || incoming.method === 'GET'))
      return { status: 200, type: '', message: '' };
    if (!hasKey(incoming, this.#options.childKey)) {
      return { status: 403, type: 'permission_error', message: 'This gateway serves one agent only.' };
    }
    if (incoming.method !== 'POST' || !allowedPaths.has(path)) {
      return { status: 404, type: 'not_found_error', message: 'This gateway passes on messages only.' };
    }
    // 400 is what the agent does not retry.
    if (this.#stopped)
      return { status: 400, type: 'invalid_request_error', message: 'This attempt was stopped.' };
    if (this.#totals.microUsd >= this.#options.maxMicroUsd) {
      return { status: 400, type: 'invalid_request_error', message: 'The money of this attempt is used up.' };
    }
    return null;
  }

  #forward(incoming: IncomingMessage): Promise<IncomingMessage> {
    const { modelUrl, modelKey } = this.#options;
    const prefix = modelUrl.pathname.replace(/\/$/, '');
    const send = modelUrl.protocol === 'https:' ? httpsRequest : httpRequest;
    const headers = { ...passedOn(incoming), ...(modelKey === null ? {} : { 'x-api-key': modelKey }) };
    return new Promise((resolve, reject) => {
      const outgoing = send(
        {
          protocol: modelUrl.protocol,
          hostname: modelUrl.hostname.replace(/^\[|\]$/g, ''),
          port: modelUrl.port,
          method: 'POST',
          path: `${prefix}${incoming.url ?? '/'}`,
          headers: { ...headers, 'accept-encoding': 'identity' },
        },
        resolve,
      );
      outgoing.once('error', reject);
      incoming.once('aborted', () => outgoing.destroy());
      incoming.pipe(outgoing);
    });
  }

  async #deliver(answer: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const streaming = (answer.headers['content-type'] ?? '').includes('text/event-stream');
    const meter = streaming ? createStreamMeter() : createJsonMeter();
    answer.on('data', (bytes: Buffer) => meter.push(bytes));
    outgoing.writeHead(answer.statusCode ?? 502, answerHeaders(answer));
    outgoing.flushHeaders();
    outgoing.once('close', () => answer.destroy());
    try {
      await pipeline(answer, outgoing);
    } finally {
      this.#count(meter);
    }
  }

  #count(meter: Meter): void {
    const metered = meter.end();
    if (metered === null) return;
    const before = this.#totals;
    const cost = costOf(metered.model, metered.usage);
    this.#totals = {
      ...before,
      microUsd: before.microUsd + cost.microUsd,
      estimated: before.estimated || !metered.complete || !cost.known,
      answers: before.answers + 1,
      inputTokens: before.inputTokens + metered.usage.inputTokens,
      outputTokens: before.outputTokens + metered.usage.outputTokens,
      cacheReadTokens: before.cacheReadTokens + metered.usage.cacheReadTokens,
      cacheWriteTokens: before.cacheWriteTokens + metered.usage.cacheWriteTokens,
    };
    const { maxMicroUsd, onExhausted } = this.#options;
    if (before.microUsd < maxMicroUsd && this.#totals.microUsd >= maxMicroUsd) onExhausted();
  }
}

interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

function refuse(outgoing: ServerResponse, { status, type, message }: Refusal): void {
  const body =
    type === '' ? '' : JSON.stringify({ type: 'error', error: { type, message: `ccd: ${message}` } });
  outgoing.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  outgoing.end(body);
}

function hasKey(incoming: IncomingMessage, key: string): boolean {
  return incoming.headers['x-api-key'] === key || incoming.headers.authorization === `Bearer ${key}`;
}

function passedOn(incoming: IncomingMessage): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined && !ownHeaders.has(name)) headers[name] = value;
  }
  return headers;
}

function answerHeaders(answer: IncomingMessage): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined && !['connection', 'keep-alive', 'transfer-encoding'].includes(name))
      headers[name] = value;
  }
  return headers;
}
