import type { IncomingMessage, ServerResponse } from 'node:http';
import { CcdError } from '../../domain/errors.ts';
import { type ApiError, headersToPassBack } from './admission.ts';
import { deliver } from './deliver.ts';
import type { GatewayEvent, GatewayStop } from './gateway-event.ts';
import { heardLimit } from './heard-limit.ts';
import type { Slot } from './key-slots.ts';
import { estimatedAnswer, type MeteredAnswer } from './meter.ts';
import type { ModelAccess } from './model-access.ts';
import { readError } from './read-error.ts';
import { goneError, noSlotError, refuse, usageLimitError } from './refuse.ts';
import { type Sent, send } from './send.ts';
import { slotLoss } from './slot-loss.ts';
import type { ModelRequest, UpstreamCall } from './upstream.ts';

/** What one request needs of its gateway. */
export interface ExchangeHost {
  readonly access: ModelAccess;
  /** Longest silence of the upstream, for a streamed answer and for one that comes whole; milliseconds. */
  readonly silenceMs: number;
  readonly wholeSilenceMs: number;
  /** Why nothing may be sent any more; null while it may. */
  refusal(): ApiError | null;
  count(answer: MeteredAnswer): Counted;
  tell(event: GatewayEvent): void;
  end(stop: GatewayStop): void;
  refused(status: number, retryAfterMs: number | null): void;
  /** Slots whose key the upstream has taken in this run. */
  readonly worked: Set<Slot>;
}

export interface Counted {
  readonly microUsd: number;
  readonly estimated: boolean;
}

/** What is noted of a request, for the log. */
export interface ExchangeNotes {
  status: number | null;
  bytesOut: number;
  firstByteAt: number | null;
  waitedMs: number;
  slot: number | null;
  requestId: string | null;
  metered: MeteredAnswer | null;
  counted: Counted;
  end: 'answered' | 'refused' | 'stalled' | 'broke-off' | 'child-left' | 'unreachable';
}

/** How often it is looked whether another process has let a slot go. */
const slotLookMs = 250;

/** One request of the child's: sent with this process's slot, again with another when that one is refused, and answered. */
export class Exchange {
  readonly notes: ExchangeNotes = {
    status: null,
    bytesOut: 0,
    firstByteAt: null,
    waitedMs: 0,
    slot: null,
    requestId: null,
    metered: null,
    counted: { microUsd: 0, estimated: false },
    end: 'refused',
  };
  readonly #host: ExchangeHost;
  readonly #request: ModelRequest;
  readonly #outgoing: ServerResponse;
  readonly #signal: AbortSignal;

  constructor(host: ExchangeHost, request: ModelRequest, outgoing: ServerResponse, signal: AbortSignal) {
    this.#host = host;
    this.#request = request;
    this.#outgoing = outgoing;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      const slot = await this.#slot();
      if (slot === null) return;
      if ((await this.#through(slot)) === 'done') return;
    }
    this.#leave();
  }

  /** The slot to use; null when the request was answered because there is none. */
  async #slot(): Promise<Slot | null> {
    const { access } = this.#host;
    const until = access.clock.now() + access.maxWaitMs;
    let told = false;
    for (;;) {
      const stopped = this.#host.refusal();
      if (stopped !== null) return this.#refuse(stopped);
      const grant = await access.slots.current();
      if (grant.kind === 'slot') return grant.slot;
      if (grant.kind === 'gone') {
        this.#host.end({ reason: grant.why, resetsAt: grant.resetsAt });
        return this.#refuse(goneError(grant.why, grant.resetsAt));
      }
      const left = until - access.clock.now();
      if (left <= 0) return this.#refuse(noSlotError);
      if (!told) this.#host.tell({ type: 'model-waiting', why: 'slot', waitMs: 0, ahead: 0 });
      told = true;
      await access.clock.sleep(Math.min(left, slotLookMs), this.#signal);
      this.notes.waitedMs += Math.min(left, slotLookMs);
      if (this.#signal.aborted) return this.#leave();
    }
  }

  async #through(slot: Slot): Promise<'done' | 'again'> {
    const { access } = this.#host;
    const { model } = this.#request.parsed;
    const passage = await access.limits.pass(slot.credential.name, model, this.#signal, (event) =>
      this.#host.tell(event),
    );
    this.notes.waitedMs += passage.waitedMs;
    if (passage.kind === 'left') return this.#done(this.#leave());
    if (passage.kind === 'too-long') return this.#done(this.#tooLong(passage.why, passage.leftMs));
    let told = false;
    const done: typeof passage.done = async (heard, wentWell) => {
      if (!told) await passage.done(heard, wentWell);
      told = true;
    };
    try {
      const sent = await this.#send(slot);
      if (sent === 'again') return 'again';
      if (sent === null) return 'done';
      return await this.#answered(slot, sent, done);
    } finally {
      await done(null, false);
    }
  }

  /** Null when the request was answered here, or nobody is there to answer to. */
  async #send(slot: Slot): Promise<IncomingMessage | 'again' | null> {
    const { access } = this.#host;
    let secret: string | null;
    let call: UpstreamCall | null;
    try {
      secret = await slot.credential.secret(access.clock.now());
      call = await access.upstream.prepare(this.#request, secret);
    } catch (fault) {
      if (!(fault instanceof CcdError)) throw fault;
      access.warn(`${fault.message} ${fault.remedy}`);
      await access.slots.lose(slot, 'invalid-api-key', null, (event) => this.#host.tell(event));
      return 'again';
    }
    if (call === null) {
      const message = 'There is no such call at this upstream.';
      return this.#refuse({ status: 404, type: 'not_found_error', message });
    }
    this.notes.slot = access.slots.total === 1 && secret === null ? null : slot.number;
    const sent = await send(call, access.agents, this.#silenceMs, this.#signal);
    return sent.kind === 'answer' ? sent.answer : this.#noAnswer(sent);
  }

  /** Broken off there, broken off here: the agent then says what really happened, and asks again. */
  #noAnswer(sent: Exclude<Sent, { kind: 'answer' }>): null {
    if (sent.kind === 'unreachable') {
      this.notes.end = 'unreachable';
      this.#host.tell({ type: 'model-unreachable', code: sent.code });
    } else {
      this.notes.end = sent.kind === 'left' ? 'child-left' : 'stalled';
      if (sent.kind === 'stalled') this.#host.tell({ type: 'model-stalled', silentMs: this.#silenceMs });
      // What was sent may be billed, although nothing came back.
      this.#count(null);
    }
    this.#outgoing.destroy();
    return null;
  }

  async #answered(
    slot: Slot,
    answer: IncomingMessage,
    done: (heard: ReturnType<typeof heardLimit>, wentWell: boolean) => Promise<void>,
  ): Promise<'done' | 'again'> {
    const status = answer.statusCode ?? 502;
    const now = this.#host.access.clock.now();
    this.notes.status = status;
    this.notes.requestId = idOf(answer);
    if (status >= 400) return this.#failed(slot, answer, status, done);
    if (status < 200 || status >= 300) {
      answer.destroy();
      const message = `The upstream answered ${status}; it is not followed.`;
      return this.#done(this.#refuse({ status: 502, type: 'api_error', message }));
    }
    this.#host.worked.add(slot);
    await done(heardLimit(status, answer.headers, '', now), true);
    await this.#deliver(answer);
    return 'done';
  }

  async #failed(
    slot: Slot,
    answer: IncomingMessage,
    status: number,
    done: (heard: ReturnType<typeof heardLimit>, wentWell: boolean) => Promise<void>,
  ): Promise<'done' | 'again'> {
    const { access, worked } = this.#host;
    const body = await readError(answer, this.#silenceMs);
    const text = body.toString('utf8');
    const now = access.clock.now();
    const heard = heardLimit(status, answer.headers, text, now);
    const lost = slotLoss(status, text, heard, worked.has(slot), now);
    // An allowance is a matter of the slot; the others have not used it up.
    await done(lost === null ? heard : null, false);
    const outdated = status === 401 || (status === 403 && /expired/i.test(text));
    if (outdated && slot.credential.refused()) return 'again';
    if (lost !== null) {
      await access.slots.lose(slot, lost.why, lost.resetsAt, (event) => this.#host.tell(event));
      if (access.slots.usable > 0) return 'again';
      const grant = await access.slots.current();
      if (grant.kind === 'gone') this.#host.end({ reason: grant.why, resetsAt: grant.resetsAt });
    }
    const named = heard?.named === true ? heard.forMs : null;
    this.#host.refused(status, named);
    this.#passError(answer, status, access.upstream.translateError(status, body));
    return 'done';
  }

  #passError(answer: IncomingMessage, status: number, body: Buffer): void {
    if (this.#signal.aborted || this.#outgoing.headersSent) {
      this.#leave();
      return;
    }
    this.notes.end = 'answered';
    this.notes.bytesOut = body.length;
    this.notes.firstByteAt = this.#host.access.clock.now();
    const { 'content-encoding': _of, ...headers } = headersToPassBack(answer);
    this.#outgoing.writeHead(status, { ...headers, 'content-length': body.length });
    this.#outgoing.end(body);
  }

  async #deliver(answer: IncomingMessage): Promise<void> {
    const { access, silenceMs, wholeSilenceMs } = this.#host;
    const bounds = { stream: silenceMs, whole: wholeSilenceMs };
    const { end, metered } = await deliver(answer, this.#outgoing, access.upstream, bounds, (bytes) => {
      this.notes.firstByteAt ??= access.clock.now();
      this.notes.bytesOut += bytes.length;
    });
    this.notes.end = end === 'whole' ? 'answered' : end;
    if (end === 'stalled') this.#host.tell({ type: 'model-stalled', silentMs: this.#silenceMs });
    this.#count(metered);
    if (end === 'whole') this.#outgoing.end();
    else this.#outgoing.destroy();
  }

  /** An answer without figures was none for nothing. */
  #count(metered: MeteredAnswer | null): void {
    if (this.#request.call !== 'messages') return;
    const { parsed, body } = this.#request;
    this.notes.metered = metered ?? estimatedAnswer(parsed.model, body.length, this.notes.bytesOut);
    this.notes.counted = this.#host.count(this.notes.metered);
  }

  #tooLong(why: string, leftMs: number): null {
    this.#host.refused(429, leftMs);
    if (why === 'usage-limit') {
      const end = new Date(this.#host.access.clock.now() + leftMs).toISOString();
      return this.#refuse(usageLimitError(end));
    }
    const message = `This machine has to wait ${Math.ceil(leftMs / 1000)} s for the model (${why}).`;
    return this.#refuse({ status: 429, type: 'rate_limit_error', message, retryAfterMs: leftMs });
  }

  #refuse(error: ApiError): null {
    this.notes.status = error.status;
    if (!this.#outgoing.headersSent && !this.#outgoing.destroyed) refuse(this.#outgoing, error);
    return null;
  }

  #leave(): null {
    this.notes.end = 'child-left';
    this.#outgoing.destroy();
    return null;
  }

  #done(_answered: null): 'done' {
    return 'done';
  }

  get #silenceMs(): number {
    return this.#request.parsed.stream === true ? this.#host.silenceMs : this.#host.wholeSilenceMs;
  }
}

/** The upstream's id of the request, for its makers' support. */
function idOf({ headers }: IncomingMessage): string | null {
  const id = headers['request-id'] ?? headers['x-amzn-requestid'] ?? headers['x-request-id'];
  return typeof id === 'string' && /^[\w.:-]{1,100}$/.test(id) ? id : null;
}
