import { type Owner, ownerName, parseOwner } from './owner.ts';
import type { SharedFolder } from './shared-folder.ts';

/** A place in a row: held while waiting, and then until it is known how the request went. */
export interface Ticket {
  /** How many that came before are still in the row. */
  ahead(): Promise<number>;
  leave(): Promise<void>;
}

/**
 * Requests that wait for the same limit, in the order in which they came, across the processes that share the folder. A process
 * that died leaves its places at once.
 */
export class WaitingRow {
  readonly #folder: SharedFolder | null;
  readonly #owner: Owner;
  readonly #now: () => number;
  readonly #own = new Set<string>();
  #count = 0;

  constructor(folder: SharedFolder | null, owner: Owner, now: () => number) {
    this.#folder = folder;
    this.#owner = owner;
    this.#now = now;
  }

  async take(key: string): Promise<Ticket> {
    this.#count += 1;
    const number = `${String(this.#now()).padStart(14, '0')}-${String(this.#count).padStart(8, '0')}`;
    const name = `wait.${key}.${number}.${ownerName(this.#owner)}`;
    this.#own.add(name);
    await this.#folder?.write(name, {});
    return {
      ahead: async () => (await this.#row(key)).filter((other) => other < name).length,
      leave: async () => {
        this.#own.delete(name);
        await this.#folder?.remove(name);
      },
    };
  }

  async #row(key: string): Promise<string[]> {
    const start = `wait.${key}.`;
    const own = [...this.#own].filter((name) => name.startsWith(start));
    const others: string[] = [];
    for (const name of (await this.#folder?.list()) ?? []) {
      if (!name.startsWith(start) || this.#own.has(name)) continue;
      const owner = parseOwner(name.split('.')[3] ?? '');
      if (owner === null) continue;
      if (await this.#folder?.lives(name, owner, this.#now())) others.push(name);
      else await this.#folder?.remove(name);
    }
    return [...own, ...others];
  }
}
