import { type Clock, createSteadyClock } from '../host/clock.ts';

/** The time of GitHub, as its answers tell it. */
export interface HeardClock extends Clock {
  /** `fetch` that listens to the `Date` of every answer. */
  hearing(fetch: typeof globalThis.fetch): typeof globalThis.fetch;
}

/** Answers take a moment, and `Date` has whole seconds: what differs by less is no fault of a clock. */
const slackMs = 5_000;

/**
 * A clock that goes on steadily whatever is done to the host's, and is put right by GitHub's: deadlines are counted from instants that
 * GitHub or another instance wrote, so the host's own opinion must end nothing early and make nothing wait. A host that slept is noticed
 * with the first answer. `steady`: milliseconds that never jump; `startMs`: what the host takes for now, until GitHub was heard.
 */
export function createHeardClock(
  steady: () => number = () => performance.now(),
  startMs: number = Date.now(),
): HeardClock {
  const own = createSteadyClock(steady, startMs);
  let offset = 0;
  const now = () => own.now() + offset;
  const hear = (date: string | null) => {
    const told = Date.parse(date ?? '');
    const off = told - now();
    if (Math.abs(off) > slackMs) offset += off;
  };
  return {
    now,
    sleep: own.sleep,
    hearing: (fetch) => async (input, init) => {
      const answer = await fetch(input, init);
      hear(answer.headers.get('date'));
      return answer;
    },
  };
}
