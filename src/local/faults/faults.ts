import type { WireAnswer } from '../wire.ts';

/** What a fault does to a request. `status` answers for it; `reset` tears the connection; `delayMs` waits first. */
export interface Fault {
  readonly delayMs?: number;
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly reset?: boolean;
}

export interface FaultCall {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** `?page=2`, or nothing. */
  readonly search: string;
  readonly principal: string;
  readonly body: Buffer;
}

/**
 * Answers the fault for this call, or nothing to let it pass. May wait: the request waits with it.
 * `truth` is what would go out, for hooks that run after the effect of a REST call.
 */
export type FaultHook = (
  call: FaultCall,
  truth: WireAnswer | null,
) => Fault | undefined | Promise<Fault | undefined>;

/**
 * Misbehaviour on demand, by operation id (`git.fetch` and `git.push` for git, `*` for all).
 * `before` hooks run instead of the effect when they answer a status or reset; `after` hooks run once the effect is done.
 */
export class Faults {
  readonly #hooks = { before: new Map<string, Set<FaultHook>>(), after: new Map<string, Set<FaultHook>>() };

  before(operation: string, hook: FaultHook): () => void {
    return this.#add('before', operation, hook);
  }

  after(operation: string, hook: FaultHook): () => void {
    return this.#add('after', operation, hook);
  }

  /** The first fault that a hook of this moment asks for. */
  async find(
    moment: 'before' | 'after',
    call: FaultCall,
    truth: WireAnswer | null = null,
  ): Promise<Fault | undefined> {
    const hooks = this.#hooks[moment];
    for (const hook of [...(hooks.get(call.operation) ?? []), ...(hooks.get('*') ?? [])]) {
      const fault = await hook(call, truth);
      if (fault) return fault;
    }
    return undefined;
  }

  #add(moment: 'before' | 'after', operation: string, hook: FaultHook): () => void {
    const map = this.#hooks[moment];
    const set = map.get(operation) ?? new Set();
    map.set(operation, set);
    set.add(hook);
    return () => {
      set.delete(hook);
    };
  }
}
