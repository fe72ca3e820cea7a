/** Something that waits for its turn in a group: a run or a job. */
interface Contender {
  readonly key: string;
  readonly start: () => void;
  readonly cancel: () => void;
}

interface Group {
  running: Contender | null;
  pending: Contender[];
}

const MAX_PENDING = 100;

/**
 * Concurrency groups by GitHub's rules: one running; one pending, which a newer one replaces (cancelled), unless the
 * queue is `max`: then up to a hundred wait in order, and one too many is cancelled itself; `cancelInProgress` also cancels the running one. Names are not case-sensitive.
 */
export class ConcurrencyGroups {
  readonly #groups = new Map<string, Group>();

  #group(name: string): Group {
    const key = name.toLowerCase();
    const group = this.#groups.get(key) ?? { running: null, pending: [] };
    this.#groups.set(key, group);
    return group;
  }

  /** Lines up. Calls `start` at once or later; `cancel` on those that give way. True when it started at once. */
  enter(
    name: string,
    contender: Contender,
    options: { readonly cancelInProgress: boolean; readonly queue: 'single' | 'max' },
  ): boolean {
    const group = this.#group(name);
    if (group.running === null) {
      group.running = contender;
      contender.start();
      return true;
    }
    if (options.queue === 'max' && group.pending.length >= MAX_PENDING) {
      contender.cancel();
      return false;
    }
    const leaving = options.queue === 'max' ? [] : group.pending.splice(0);
    group.pending.push(contender);
    for (const old of leaving) old.cancel();
    if (options.cancelInProgress) group.running.cancel();
    return false;
  }

  /** Leaves, running or pending; the next pending one starts. */
  leave(name: string, key: string): void {
    const group = this.#group(name);
    group.pending = group.pending.filter((contender) => contender.key !== key);
    if (group.running?.key !== key) return;
    group.running = group.pending.shift() ?? null;
    group.running?.start();
  }
}

/** A group's name within its repository, compared without case. */
export function groupKey(repo: { readonly id: number }, name: string): string {
  return `${repo.id} ${name}`.toLowerCase();
}
