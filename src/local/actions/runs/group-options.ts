import type { ConcurrencyBody } from '../workflow/schema.ts';

/** How a `concurrency` entry wants its group to behave; `truth` evaluates an expression to a condition. */
export function groupOptions(body: ConcurrencyBody, truth: (value: string | boolean) => boolean) {
  const given = 'cancel-in-progress' in body ? body['cancel-in-progress'] : undefined;
  const queue = 'queue' in body ? (body.queue ?? 'single') : 'single';
  return { cancelInProgress: given !== undefined && truth(given), queue } as const;
}
