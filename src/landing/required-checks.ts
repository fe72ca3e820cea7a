import type { Oid } from '../domain/ids.ts';
import type { ObservedCheck } from '../domain/snapshot.ts';
import type { RequiredCheck } from '../policy/policy.ts';

/** App id of GitHub Actions, the same on every github.com repository. */
export const actionsAppId = 15368;

export type ChecksWord =
  | { readonly kind: 'success' }
  | { readonly kind: 'waiting'; readonly names: readonly string[]; readonly started: boolean }
  | { readonly kind: 'failed'; readonly name: string; readonly checkId: number }
  /** Ended without saying anything about the change: cancelled, skipped, timed out by the infrastructure. */
  | { readonly kind: 'interrupted'; readonly name: string; readonly checkId: number };

/**
 * What the required checks say of exactly one commit. A check counts only from its pinned app, and one of Actions only as the
 * check of a job of a `push` run on the queue ref from the workflow path that policy names: any job with `checks: write`
 * could forge the rest. Nothing but an explicit success is success.
 */
export function readRequiredChecks(
  required: readonly RequiredCheck[],
  checks: readonly ObservedCheck[],
  commit: Oid,
  queueBranch: string,
): ChecksWord {
  const waiting: string[] = [];
  let started = false;
  for (const wanted of required) {
    const found = newest(checks.filter((check) => isTheCheck(check, wanted, commit, queueBranch)));
    if (found !== undefined) started = true;
    if (found === undefined || found.status !== 'completed') waiting.push(wanted.name);
    else if (found.conclusion === 'failure') return { kind: 'failed', name: wanted.name, checkId: found.id };
    else if (found.conclusion !== 'success')
      return { kind: 'interrupted', name: wanted.name, checkId: found.id };
  }
  return waiting.length === 0 ? { kind: 'success' } : { kind: 'waiting', names: waiting, started };
}

function isTheCheck(check: ObservedCheck, wanted: RequiredCheck, commit: Oid, queueBranch: string): boolean {
  if (check.name !== wanted.name || check.appId !== wanted.app_id || check.commit !== commit) return false;
  if (wanted.app_id !== actionsAppId) return true;
  const run = check.run;
  if (run === null || run.head !== commit || run.event !== 'push' || run.branch !== queueBranch) return false;
  return wanted.workflow === null || run.path.split('@')[0] === wanted.workflow;
}

function newest(checks: readonly ObservedCheck[]): ObservedCheck | undefined {
  return [...checks].sort((left, right) => right.id - left.id)[0];
}
