import { CcdError } from '../../domain/errors.ts';
import { type Oid, zeroOid } from '../../domain/ids.ts';
import { atomicPush } from '../../git/atomic-push.ts';
import { mergeCandidates } from '../../git/merge.ts';
import { queueRef } from '../../git/refs.ts';
import { observeChecks } from '../../github/observe/checks.ts';
import { readRequiredChecks } from '../../landing/required-checks.ts';
import type { Policy } from '../../policy/policy.ts';
import { queueBranch } from '../../supervisor/building.ts';
import { renderBuildMessage } from '../../text/build-message.ts';
import type { RepositoryContext } from '../context.ts';

export interface FirstBuild {
  readonly number: number;
  readonly trunk: Oid;
  readonly state: Oid;
  readonly policy: Policy;
  readonly policyDigest: string;
  readonly onWait: (names: readonly string[]) => void;
}

const pollMs = 500;

/**
 * Proves that the gate works before anything may land: a build without members must go green on the queue ref. Its ref is deleted
 * afterwards, trunk does not move. Throws `init.no-gate` or `init.gate-red` with what was missing.
 */
export async function proveGate(context: RepositoryContext, first: FirstBuild): Promise<void> {
  const { clone, clock } = context;
  const commit = await writeEmptyBuild(context, first);
  const ref = queueRef(first.number);
  const standing = (await clone.lsRemote([ref])).get(ref) ?? zeroOid;
  if (standing !== commit) await push(context, ref, standing, commit);
  const startedAt = clock.now();
  for (;;) {
    const checks = await observeChecks(context.client, context.name, commit, { runs: true });
    const word = readRequiredChecks(first.policy.required_checks, checks, commit, queueBranch(first.number));
    if (word.kind === 'success') break;
    if (word.kind === 'failed' || word.kind === 'interrupted') throw gateRed(word.name, word.kind);
    const { check_start_minutes: start, check_end_minutes: end } = first.policy.landing;
    if (clock.now() - startedAt > (word.started ? end : start) * 60_000) throw noGate(word.names);
    first.onWait(word.names);
    await clock.sleep(pollMs);
  }
  await push(context, ref, commit, zeroOid);
}

async function writeEmptyBuild(context: RepositoryContext, first: FirstBuild): Promise<Oid> {
  const merged = await mergeCandidates(context.clone, {
    base: first.trunk,
    candidates: [],
    message: renderBuildMessage({
      build: first.number,
      try: 1,
      members: [],
      policyDigest: first.policyDigest,
      state: first.state,
    }),
    date: 0,
  });
  if (merged.kind === 'built') return merged.commit;
  throw noGate(['an empty build']);
}

async function push(context: RepositoryContext, ref: string, expected: Oid, next: Oid): Promise<void> {
  const pushed = await atomicPush(context.clone, [{ ref, expected, next }]);
  if (pushed.kind === 'moved') return;
  throw new CcdError({
    code: 'init.push',
    message: `${ref} could not be moved: ${pushed.kind === 'refused' ? pushed.detail : pushed.kind}.`,
    remedy: 'Check the app’s permissions and the rulesets, then run `ccd init` again.',
    audience: 'operator',
  });
}

function noGate(names: readonly string[]): CcdError {
  return new CcdError({
    code: 'init.no-gate',
    message: `No required check started in time on the first build: ${names.join(', ')}.`,
    remedy:
      'Let the workflow of each required check run on pushes to `ccd/queue/**`, then run `ccd init` again.',
    audience: 'operator',
  });
}

function gateRed(name: string, how: string): CcdError {
  return new CcdError({
    code: 'init.gate-red',
    message: `The required check "${name}" ${how === 'failed' ? 'failed' : 'was interrupted'} on trunk as it is.`,
    remedy: 'Make trunk green first, then run `ccd init` again.',
    audience: 'operator',
  });
}
