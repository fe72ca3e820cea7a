/** Runs pieces of work one after the other, in the order in which they were handed in. */
export interface Mutex {
  /** Result of `work`; its fault is the caller's alone and does not stop the next in line. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createMutex(): Mutex {
  let tail: Promise<unknown> = Promise.resolve();
  return {
    run(work) {
      const turn = tail.then(work);
      tail = turn.then(
        () => undefined,
        () => undefined,
      );
      return turn;
    },
  };
}
