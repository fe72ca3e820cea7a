/** One measured figure. `goal` is told beside it, never judged: speed belongs to the machine. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly goal?: string;
}

/** Milliseconds that a task took. */
export async function timed(task: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await task();
  return performance.now() - started;
}

export const rounded = (value: number, digits = 0): number => Number(value.toFixed(digits));

/** The middle of a list of numbers. */
export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
