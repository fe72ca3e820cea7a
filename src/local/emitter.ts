/** Typed, synchronous event bus: listeners run in the order of subscription, within the emitting call. */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<(event: never) => void>>();
  readonly #any = new Set<() => void>();

  /** Subscribes; the answer unsubscribes. */
  on<K extends keyof Events>(name: K, listener: (event: Events[K]) => void): () => void {
    const set = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, set);
    set.add(listener as (event: never) => void);
    return () => {
      set.delete(listener as (event: never) => void);
    };
  }

  /** Subscribes to everything, after the listeners of each name. */
  onAny(listener: () => void): () => void {
    this.#any.add(listener);
    return () => {
      this.#any.delete(listener);
    };
  }

  emit<K extends keyof Events>(name: K, event: Events[K]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      (listener as (event: Events[K]) => void)(event);
    }
    for (const listener of [...this.#any]) listener();
  }
}
