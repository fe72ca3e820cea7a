import type { Effect } from '../domain/command.ts';
import type { Intent } from '../domain/state.ts';
import { type Draft, instant, wakeAt } from './draft.ts';

const firstRetryMs = 1_000;
const longestRetryMs = 300_000;
/** An effect that was tried this often, for this long, is taken for one that GitHub will never take. Neither alone: tries may be crashes. */
const hopelessTries = 10;
const hopelessMs = 10 * 60_000;

/**
 * Takes the right to an effect for which GitHub has no conditional write, and adds the effect when this instance holds
 * it. The right is an entry of the state, so of two instances one gets it. Call it only after the observation has
 * shown that the effect is not there: that read is what makes the repetition safe.
 */
export function intend(draft: Draft, key: string, effect: Effect): void {
  const { now, instance, takeoverMs } = draft.snapshot;
  draft.wanted.add(key);
  const standing = draft.repository.intents[key];
  if (standing !== undefined) {
    fromNow(standing, now, takeoverMs);
    const readyAt =
      Date.parse(standing.at) + patience(standing.instance === instance, standing.tries, takeoverMs);
    if (now < readyAt) {
      wakeAt(draft, readyAt);
      return;
    }
  }
  const tries = (standing?.tries ?? 0) + 1;
  const since = standing?.since ?? instant(now);
  draft.repository.intents[key] = { kind: effect.kind, instance, since, at: instant(now), tries };
  draft.effects.push(effect);
}

/** An instant that is still to come was written by a clock that was wrong: the wait for it starts now, and ends. */
function fromNow(standing: Intent, now: number, slackMs: number): void {
  if (Date.parse(standing.at) - now > slackMs) standing.at = instant(now);
  if (Date.parse(standing.since) - now > slackMs) standing.since = instant(now);
}

/** Of another instance it is not known whether GitHub refused it or it died: its effect is not left waiting for long. */
function patience(own: boolean, tries: number, takeoverMs: number): number {
  const backoff = Math.min(firstRetryMs * 2 ** (tries - 1), longestRetryMs);
  return own ? backoff : Math.max(takeoverMs, Math.min(backoff, 4 * takeoverMs));
}

/** True when an effect was tried so often and so long that its planner should do without it. */
export function isHopeless(draft: Draft, key: string): boolean {
  const standing = draft.repository.intents[key];
  if (standing === undefined) return false;
  return standing.tries >= hopelessTries && draft.snapshot.now - Date.parse(standing.since) >= hopelessMs;
}

/** Drops the intents that no planner asked for in this pass: their effect was seen, or nobody wants it any more. */
export function dropDoneIntents(draft: Draft): void {
  for (const key of Object.keys(draft.repository.intents)) {
    if (!draft.wanted.has(key)) delete draft.repository.intents[key];
  }
}

/** Names of intents, in one place because the observation looks results up by them. */
export const intentKeys = {
  statusComment: (issue: number) => `comment.${issue}`,
  pull: (issue: number) => `pull.${issue}`,
  guardCheck: (issue: number, commit: string) => `check.${issue}.${commit}`,
  landingCheck: (build: number, attempt: number) => `landing-check.${build}.${attempt}`,
  worker: (attempt: string) => `worker.${attempt}`,
  facts: (planDigest: string, attempt: number) => `facts.${planDigest}.${attempt}`,
  answer: (to: string) => `answer.${to}`,
  cancel: (run: number) => `cancel.${run}`,
} as const;
