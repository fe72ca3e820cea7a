import { createHash } from 'node:crypto';
import type { Clock } from '../../host/clock.ts';
import type { GatewayEvent, LimitWord } from './gateway-event.ts';
import type { HeardLimit } from './heard-limit.ts';
import type { LimitBoard, LimitState } from './limit-board.ts';
import type { Ticket, WaitingRow } from './waiting-row.ts';

/** A request's way through the limits. */
export type Passage =
  | {
      readonly kind: 'go';
      readonly waitedMs: number;
      /** To be called once it is known how the request went. */
      readonly done: (heard: HeardLimit | null, wentWell: boolean) => Promise<void>;
    }
  | { readonly kind: 'too-long'; readonly waitedMs: number; readonly why: LimitWord; readonly leftMs: number }
  | { readonly kind: 'left'; readonly waitedMs: number };

export interface RateLimitTools {
  readonly board: LimitBoard;
  readonly row: WaitingRow;
  readonly clock: Clock;
  /** A request waits no longer than this; milliseconds. */
  readonly maxWaitMs: number;
}

/** How often a waiting request looks whether its turn has come. */
const lookMs = 100;
const tellMs = 10_000;

/**
 * Keeps requests back that would run into a limit somebody on this machine has heard of. They wait in one row and are let
 * through one by one; one that would have to wait too long is told so instead.
 */
export class RateLimits {
  readonly #tools: RateLimitTools;

  constructor(tools: RateLimitTools) {
    this.#tools = tools;
  }

  async pass(
    credential: string,
    model: string,
    signal: AbortSignal,
    tell: (event: GatewayEvent) => void,
  ): Promise<Passage> {
    const key = keyOf(credential, model);
    const first = await this.#tools.board.state(key);
    if (first.kind === 'free') return this.#go(key, null, 0);
    return this.#wait(key, first, signal, tell);
  }

  async #wait(
    key: string,
    first: LimitState & { kind: 'limited' },
    signal: AbortSignal,
    tell: (event: GatewayEvent) => void,
  ): Promise<Passage> {
    const { board, row, clock, maxWaitMs } = this.#tools;
    const began = clock.now();
    const waited = () => clock.now() - began;
    let toldAt = Number.NEGATIVE_INFINITY;
    if (first.leftMs > maxWaitMs)
      return { kind: 'too-long', waitedMs: 0, why: first.why, leftMs: first.leftMs };
    const ticket = await row.take(key);
    for (;;) {
      const state = await board.state(key);
      if (signal.aborted) {
        await ticket.leave();
        return { kind: 'left', waitedMs: waited() };
      }
      if (state.kind === 'free') return this.#go(key, ticket, waited());
      const ahead = await ticket.ahead();
      if (state.leftMs === 0 && ahead < state.room) return this.#go(key, ticket, waited());
      if (waited() + state.leftMs > maxWaitMs) {
        await ticket.leave();
        // Those ahead go first: to come back at once would be too early.
        const leftMs = Math.max(state.leftMs, 1000 * (1 + ahead));
        return { kind: 'too-long', waitedMs: waited(), why: state.why, leftMs };
      }
      if (clock.now() - toldAt >= tellMs) {
        toldAt = clock.now();
        tell({ type: 'model-waiting', why: state.why, waitMs: state.leftMs, ahead });
      }
      await clock.sleep(Math.min(Math.max(state.leftMs, lookMs / 4), lookMs), signal);
    }
  }

  #go(key: string, ticket: Ticket | null, waitedMs: number): Passage {
    const { board } = this.#tools;
    return {
      kind: 'go',
      waitedMs,
      done: async (heard, wentWell) => {
        if (heard !== null) await board.limited(key, heard);
        else if (wentWell && ticket !== null) await board.passed(key);
        await ticket?.leave();
      },
    };
  }
}

/** Part of a file's name; says neither key nor model. */
function keyOf(credential: string, model: string): string {
  return createHash('sha256').update(`${credential}\n${model}`).digest('hex').slice(0, 24);
}
