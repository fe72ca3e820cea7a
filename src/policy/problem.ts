/** One thing that keeps a spec or a policy from being used. `field` is the snake_case key, or `body` for the text as a whole. */
export interface Problem {
  readonly field: string;
  /** Stable word for machines, such as `missing`, `contradiction`, `unknown-key`. */
  readonly code: string;
  /** One sentence for the author: what is wrong and what to write instead. */
  readonly message: string;
  /** Counts from 1 in the text as given; null when no line is to blame (something is missing). */
  readonly line: number | null;
}

export function problem(field: string, code: string, message: string, line: number | null = null): Problem {
  return { field, code, message, line };
}
