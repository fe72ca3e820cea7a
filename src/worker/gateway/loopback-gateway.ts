import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { costOf } from '../prices.ts';
import type { Refusal } from '../retry.ts';
import { SharedBudget } from '../shared-budget.ts';
import { type ApiError, admit, headersToPass, type ModelCall } from './admission.ts';
import { type Counted, Exchange, type ExchangeHost } from './exchange.ts';
import type { Gateway, GatewayBounds, GatewayTotals } from './gateway.ts';
import type { GatewayEvent, GatewayStop } from './gateway-event.ts';
import type { Slot } from './key-slots.ts';
import { bytesPerToken, type MeteredAnswer } from './meter.ts';
import type { ModelAccess } from './model-access.ts';
import { finalError, refuse } from './refuse.ts';
import { parseBody, readBody } from './request-body.ts';
import type { ModelRequest } from './upstream.ts';

const defaultSilenceMs = 120_000;
const defaultWholeSilenceMs = 600_000;
/** Requests at once; an agent with many subagents makes a dozen. */
const mostAtOnce = 24;
const microUsdPerSearch = 10_000;
/** Taken for the length of an answer that names no longest one. */
const unnamedAnswerTokens = 4096;

/** The gateway itself: lets in, bounds, counts; each request is an exchange. */
export class LoopbackGateway implements Gateway, ExchangeHost {
  readonly access: ModelAccess;
  readonly silenceMs: number;
  readonly wholeSilenceMs: number;
  readonly worked = new Set<Slot>();
  readonly #options: GatewayBounds;
  readonly #ownAccess: boolean;
  readonly #budget: SharedBudget;
  readonly #server: Server;
  readonly #underWay = new Set<AbortController>();
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
  #lastRefusal: Refusal | null = null;
  #stopped: GatewayStop | 'by-parent' | null = null;
  #overTime: NodeJS.Timeout | null = null;

  constructor(options: GatewayBounds, access: ModelAccess, ownAccess: boolean) {
    this.#options = options;
    this.access = access;
    this.#ownAccess = ownAccess;
    this.#budget = new SharedBudget('try', options.maxMicroUsd, options.budget ?? null);
    this.silenceMs = options.silenceMs ?? defaultSilenceMs;
    this.wholeSilenceMs = options.wholeSilenceMs ?? defaultWholeSilenceMs;
    this.#server = createServer(
      // A child may take a minute to say what it wants, and no longer; then its connection is free.
      { headersTimeout: 30_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 },
      (incoming, outgoing) => {
        // A child that goes away in the middle of an answer is an everyday event.
        this.#serve(incoming, outgoing).catch(() => outgoing.destroy());
      },
    );
    this.#server.maxConnections = 256;
    // An idle connection costs nothing; one that is closed just as a request comes costs the child a retry.
    this.#server.keepAliveTimeout = 0;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get totals(): GatewayTotals {
    return this.#totals;
  }

  get lastRefusal(): Refusal | null {
    return this.#lastRefusal;
  }

  get slots(): { readonly usable: number; readonly of: number } {
    return { usable: this.access.slots.usable, of: this.access.slots.total };
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    const { wallClockMs } = this.#options;
    if (wallClockMs === undefined) return;
    this.#overTime = setTimeout(
      () => {
        this.end({ reason: 'wall-clock', resetsAt: null });
        for (const one of this.#underWay) one.abort();
      },
      Math.min(wallClockMs, 2 ** 31 - 1),
    );
    this.#overTime.unref();
  }

  stop(): void {
    this.#stopped ??= 'by-parent';
  }

  async close(): Promise<void> {
    this.stop();
    if (this.#overTime !== null) clearTimeout(this.#overTime);
    for (const one of this.#underWay) one.abort();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
    if (this.#ownAccess) await this.access.close();
  }

  refusal(): ApiError | null {
    if (this.#stopped === 'by-parent') return finalError('ccd: This attempt was stopped.');
    if (this.#stopped !== null) return finalError(`ccd: Nothing more is sent (${this.#stopped.reason}).`);
    const { maxTurns } = this.#options;
    if (maxTurns !== undefined && this.#totals.answers >= maxTurns) {
      this.end({ reason: 'max-turns', resetsAt: null });
      return finalError('ccd: The turns of this attempt are used up.');
    }
    if (this.#budget.left === 0) {
      this.end({ reason: 'max-cost', resetsAt: null });
      return finalError('ccd: The money of this attempt is used up.');
    }
    return null;
  }

  end(stop: GatewayStop): void {
    if (this.#stopped !== null) return;
    this.#stopped = stop;
    this.tell({ type: 'gateway-stopped', reason: stop.reason });
    if (stop.reason === 'max-cost') this.#options.onExhausted?.();
    this.#options.onStop?.(stop);
  }

  tell(event: GatewayEvent): void {
    this.#options.onEvent?.(event);
  }

  refused(status: number, retryAfterMs: number | null): void {
    this.#lastRefusal = { status, retryAfterMs, at: this.access.clock.now() };
  }

  count(answer: MeteredAnswer): Counted {
    const cost = costOf(answer.model, answer.usage);
    const microUsd = cost.microUsd + answer.searches * microUsdPerSearch;
    const estimated = !answer.complete || !cost.known;
    const before = this.#totals;
    this.#totals = {
      ...before,
      microUsd: before.microUsd + microUsd,
      estimated: before.estimated || estimated,
      answers: before.answers + 1,
      inputTokens: before.inputTokens + answer.usage.inputTokens,
      outputTokens: before.outputTokens + answer.usage.outputTokens,
      cacheReadTokens: before.cacheReadTokens + answer.usage.cacheReadTokens,
      cacheWriteTokens: before.cacheWriteTokens + answer.usage.cacheWriteTokens,
    };
    if (this.#budget.spend(microUsd) !== null) this.end({ reason: 'max-cost', resetsAt: null });
    return { microUsd, estimated };
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const startedAt = this.access.clock.now();
    const admission = admit(incoming, this.#options.childKey);
    if (admission.kind === 'alive') {
      outgoing.writeHead(200, { 'content-length': 0 }).end();
      return;
    }
    // Whoever is turned away does not get to send its body.
    if (admission.kind === 'refused') return refuse(outgoing, admission.error, true);
    const stopped = this.refusal();
    if (stopped !== null) return refuse(outgoing, stopped, true);
    if (this.#underWay.size >= mostAtOnce) return refuse(outgoing, tooMany, true);
    const left = new AbortController();
    this.#underWay.add(left);
    outgoing.once('close', () => left.abort());
    left.signal.addEventListener('abort', () => outgoing.destroy());
    try {
      const request = await readRequest(incoming, outgoing, admission);
      if (request !== null) await this.#exchange(request, outgoing, left.signal, startedAt);
    } finally {
      this.#underWay.delete(left);
      // The head of an answer is out, and its end will never come.
      if (!outgoing.writableEnded) outgoing.destroy();
    }
  }

  async #exchange(
    request: ModelRequest,
    outgoing: ServerResponse,
    signal: AbortSignal,
    startedAt: number,
  ): Promise<void> {
    this.#totals = { ...this.#totals, requests: this.#totals.requests + 1 };
    const money = await this.#budget.reserve(request.call === 'messages' ? estimate(request) : 0, signal);
    if (money === null) {
      const refusal = this.refusal();
      if (refusal !== null && !signal.aborted) refuse(outgoing, refusal);
      return;
    }
    const exchange = new Exchange(this, request, outgoing, signal);
    exchange.notes.waitedMs = this.access.clock.now() - startedAt;
    try {
      await exchange.run();
    } finally {
      money.release();
      this.#note(request, exchange, startedAt);
    }
  }

  #note(request: ModelRequest, { notes }: Exchange, startedAt: number): void {
    const { metered, counted, firstByteAt, ...rest } = notes;
    const now = this.access.clock.now();
    if (metered !== null) {
      this.tell({
        type: 'model-answered',
        status: notes.status ?? 0,
        ...counted,
        totalMicroUsd: this.#totals.microUsd,
      });
    }
    const usage = metered?.usage;
    this.#options.log?.write({
      time: new Date(startedAt).toISOString(),
      method: 'POST',
      path: request.call === 'messages' ? '/v1/messages' : '/v1/messages/count_tokens',
      model: request.parsed.model,
      bytesIn: request.body.length,
      firstByteMs: firstByteAt === null ? null : firstByteAt - startedAt,
      totalMs: now - startedAt,
      inputTokens: usage?.inputTokens ?? 0,
      outputTokens: usage?.outputTokens ?? 0,
      cacheReadTokens: usage?.cacheReadTokens ?? 0,
      cacheWriteTokens: usage?.cacheWriteTokens ?? 0,
      ...counted,
      ...rest,
    });
  }
}

const tooMany: ApiError = {
  status: 429,
  type: 'rate_limit_error',
  message: 'ccd: Too many requests of this agent are under way.',
  retryAfterMs: 1000,
};

async function readRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  admitted: { readonly call: ModelCall; readonly beta: boolean },
): Promise<ModelRequest | null> {
  const body = await readBody(incoming);
  if (body === null) {
    const message = 'ccd: The request is larger than the API takes.';
    refuse(outgoing, { status: 413, type: 'request_too_large', message }, true);
    return null;
  }
  const parsed = parseBody(body);
  if (parsed === null) {
    refuse(outgoing, finalError('ccd: This is no request of the Messages API.'));
    return null;
  }
  const { call, beta } = admitted;
  return { call, beta, headers: headersToPass(incoming), body, parsed };
}

/** What a request is likely to cost at most: all of it written to the cache, and the longest answer. */
function estimate({ body, parsed }: ModelRequest): number {
  const inputTokens = Math.ceil(body.length / bytesPerToken);
  const usage = {
    inputTokens: 0,
    outputTokens: parsed.max_tokens ?? unnamedAnswerTokens,
    cacheReadTokens: 0,
    cacheWriteTokens: inputTokens,
  };
  return costOf(parsed.model, usage).microUsd;
}
