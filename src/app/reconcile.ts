import { CcdError } from '../domain/errors.ts';
import { retryAtOf } from '../github/api-failure.ts';
import type { RepositoryContext } from './context.ts';
import { pass } from './pass.ts';
import type { PassResult } from './pass-result.ts';

export interface LoopOptions {
  /** Longest wait between two passes: the slow sweep that needs no webhook. */
  readonly sweepMs: number;
  /** Wait between passes while a run is under way that tells nothing by itself; doubles up to the sweep. */
  readonly pollMs: number;
  /** Least time between two passes, so that a storm of webhooks stays one read. */
  readonly restMs: number;
}

export interface ReconcileLoop {
  /** Asks for a pass soon. Any number of hints may become one pass. */
  hint(): void;
  /** Ends after the pass that is under way. */
  stop(): Promise<void>;
  /** What the last pass said; null before the first. */
  last(): PassResult | { readonly kind: 'failed'; readonly message: string } | null;
}

const firstFailureMs = 1_000;
const longestFailureMs = 120_000;

/**
 * Runs passes over one repository for as long as the process lives: at once after a change, on hints, when the decision asked
 * for it, and at the latest after the sweep. A pass that fails is given up and made again later; it loses nothing.
 */
export function startLoop(context: RepositoryContext, options: LoopOptions): ReconcileLoop {
  const state = { stopping: false, hinted: false, wake: new AbortController(), failures: 0, polls: 0 };
  const end = new AbortController();
  let last: ReturnType<ReconcileLoop['last']> = null;
  const wakeUp = () => {
    state.wake.abort();
    state.wake = new AbortController();
  };
  const run = async () => {
    while (!state.stopping) {
      state.hinted = false;
      last = await passOrFailure(context);
      if (state.stopping) return;
      const waitMs = nextWait(last, state, options, context.clock.now());
      // GitHub bans who goes on asking while a limit holds: no hint cuts that wait short.
      if (last.kind === 'rate-limited') await context.clock.sleep(waitMs, end.signal);
      else if (!state.hinted && waitMs > 0) await context.clock.sleep(waitMs, state.wake.signal);
      if (options.restMs > 0 && !state.stopping) await context.clock.sleep(options.restMs);
    }
  };
  const ended = run();
  return {
    hint: () => {
      state.hinted = true;
      state.polls = 0;
      wakeUp();
    },
    stop: async () => {
      state.stopping = true;
      end.abort();
      wakeUp();
      await ended;
    },
    last: () => last,
  };
}

type Last = PassResult | { readonly kind: 'failed'; readonly message: string; readonly retryAt?: number };

/** The loop's edge: a fault of one pass must not end the others. */
async function passOrFailure(context: RepositoryContext): Promise<Last> {
  try {
    const startedAt = context.clock.now();
    const result = await pass(context);
    context.log.info('pass', { result: result.kind, ms: context.clock.now() - startedAt });
    if (result.kind === 'stopped') context.log.error('stopped', { code: result.code, detail: result.detail });
    return result;
  } catch (error) {
    const retryAt = retryAtOf(error);
    if (retryAt !== null) return { kind: 'rate-limited', retryAt };
    const message = error instanceof Error ? error.message : String(error);
    const code = error instanceof CcdError ? error.code : 'bug.unexpected';
    const stack = error instanceof CcdError || !(error instanceof Error) ? '' : (error.stack ?? '');
    context.log.error('pass failed', { code, message, stack });
    return { kind: 'failed', message };
  }
}

interface LoopState {
  failures: number;
  polls: number;
}

function nextWait(last: Last, state: LoopState, options: LoopOptions, now: number): number {
  if (last.kind === 'failed' || last.kind === 'rate-limited') {
    state.failures += 1;
    const backoff = Math.min(firstFailureMs * 2 ** (state.failures - 1), longestFailureMs);
    // One limit after the other: GitHub asks for longer waits each time.
    return last.kind === 'failed' ? backoff : Math.max(backoff, last.retryAt - now);
  }
  state.failures = 0;
  if (last.kind === 'changed' || last.kind === 'again') {
    state.polls = 0;
    return 0;
  }
  if (last.kind === 'stopped') return options.sweepMs;
  const poll = last.busy ? Math.min(options.pollMs * 1.5 ** state.polls, options.sweepMs) : options.sweepMs;
  state.polls += 1;
  const asked = last.wakeAt === null ? options.sweepMs : Math.max(0, last.wakeAt - now);
  return Math.min(poll, asked, options.sweepMs);
}
