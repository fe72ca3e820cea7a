import type { RefMove } from '../../domain/command.ts';
import { CcdError } from '../../domain/errors.ts';
import { type Oid, zeroOid } from '../../domain/ids.ts';
import {
  type QueueState,
  type RepositoryState,
  repositoryStateSchema,
  statePaths,
} from '../../domain/state.ts';
import { atomicPush } from '../../git/atomic-push.ts';
import { firstParents } from '../../git/history.ts';
import { branchRef, factsRef, runRef, stateRef } from '../../git/refs.ts';
import { readStateFile, writeState } from '../../git/state-branch.ts';
import { ensureLabel } from '../../github/apply/ensure-label.ts';
import type { GitHubClient } from '../../github/client.ts';
import { observeRepository } from '../../github/observe/repository.ts';
import { instant } from '../../supervisor/draft.ts';
import { parseBuildMessage } from '../../text/build-message.ts';
import { labelTexts } from '../../text/labels.ts';
import type { RepositoryContext } from '../context.ts';
import { readPolicy } from '../observe/read-policy.ts';
import { appWorkflows, writeAppBranch } from './app-branches.ts';
import { ensureControlIssue } from './control-issue.ts';
import { proveGate } from './first-build.ts';
import { putRulesets, type RulesetsResult, rulesetsOf } from './rulesets.ts';

export interface InitResult {
  readonly controlIssue: number;
  readonly stateHead: Oid;
  readonly trunk: string;
  readonly protection: RulesetsResult;
}

export interface InitOptions {
  /** Speaks with a person's token that may administer; null: no rulesets are put. */
  readonly admin: GitHubClient | null;
  readonly onStep: (step: string) => void;
}

/**
 * The first day of a repository: app-only refs, control issue, a build that proves the gate, rulesets. Each step is done only
 * where it is still to be done, so it may be run again after any interruption. A state that is there is never made anew.
 */
export async function initRepository(context: RepositoryContext, options: InitOptions): Promise<InitResult> {
  const { client, clone, name, app } = context;
  const repository = await observeRepository(client, name, app);
  const refs = await clone.fetch();
  const trunk = refs.get(branchRef(repository.trunk));
  if (trunk === undefined)
    throw fault('init.no-trunk', `${repository.trunk} has no commit.`, 'Push a first commit to it.');
  const policy = await readPolicy(clone.objects, trunk);
  if (policy.kind === 'invalid') {
    const problems = policy.problems.map((problem) => `${problem.field}: ${problem.message}`).join('; ');
    throw fault(
      'init.policy',
      `.github/ccd.yml on trunk cannot be used: ${problems}`,
      'Correct it on trunk.',
    );
  }
  if (policy.policy.required_checks.length === 0) {
    const remedy = 'Name at least one check under `required_checks` in .github/ccd.yml on trunk.';
    throw fault(
      'init.no-required-checks',
      'Policy names no required check, so nothing could ever be proven.',
      remedy,
    );
  }
  options.onStep('labels');
  for (const label of labelTexts) await ensureLabel(client, name, label);
  options.onStep('control issue');
  const controlIssue = await ensureControlIssue(context, repository.trunk);
  options.onStep('refs of the app');
  const stateHead = await ensureRefs(context, { refs, trunk, controlIssue, repositoryId: repository.id });
  const ready = await proveReady(context, stateHead, trunk, policy, options);
  const protection = await protect(context, policy.policy, options);
  return { controlIssue, stateHead: ready, trunk: repository.trunk, protection };
}

/** First-parent commits of trunk in which traces of builds are looked for. */
const tracedCommits = 500;

interface Start {
  readonly refs: ReadonlyMap<string, Oid>;
  readonly trunk: Oid;
  readonly controlIssue: number;
  readonly repositoryId: number;
}

async function ensureRefs(context: RepositoryContext, start: Start): Promise<Oid> {
  const { clone } = context;
  const moves: RefMove[] = [];
  const wanted = [
    [runRef, await writeAppBranch(clone, start.trunk, appWorkflows.run)],
    [factsRef, await writeAppBranch(clone, start.trunk, appWorkflows.facts)],
  ] as const;
  for (const [ref, next] of wanted) {
    const expected = start.refs.get(ref) ?? zeroOid;
    if (expected !== next) moves.push({ ref, expected, next });
  }
  const standing = start.refs.get(stateRef);
  if (standing === undefined) await refuseFreshStart(context, start);
  else await refuseForeignState(context, standing, start.repositoryId);
  const head = standing ?? (await writeFirstState(context, start));
  if (standing === undefined) moves.push({ ref: stateRef, expected: zeroOid, next: head });
  if (moves.length === 0) return head;
  const pushed = await atomicPush(clone, moves);
  if (pushed.kind === 'moved') return head;
  const why = pushed.kind === 'refused' ? `${pushed.reason}: ${pushed.detail}` : pushed.kind;
  throw fault(
    'init.refs',
    `The app's refs could not be made (${why}).`,
    'Check the app’s permissions and run `ccd init` again.',
  );
}

/** A repository on which ccd has worked has no first day: its state is missing, and only a person can bring it back. */
async function refuseFreshStart(context: RepositoryContext, start: Start): Promise<void> {
  const traces = [...start.refs.keys()].filter((ref) => /^refs\/(heads\/ccd|ccd)\//.test(ref));
  const { commits } = await firstParents(context.clone, start.trunk, null, tracedCommits);
  if (commits.some((commit) => parseBuildMessage(commit.message) !== null)) traces.push('builds on trunk');
  if (traces.length === 0) return;
  throw fault(
    'state.missing',
    `ccd has worked here (${traces.slice(0, 5).join(', ')}), and ccd/state is gone.`,
    'Restore the branch from a clone or from GitHub; a state made anew would hand out generations twice.',
  );
}

/** A copy of a repository brings the state of another one along. */
async function refuseForeignState(
  context: RepositoryContext,
  head: Oid,
  repositoryId: number,
): Promise<void> {
  const state = await readStateFile(
    context.clone.objects,
    head,
    statePaths.repository,
    repositoryStateSchema,
  );
  if (state.kind !== 'read' || state.value.repositoryId === repositoryId) return;
  throw fault(
    'init.foreign-state',
    'ccd/state belongs to another repository: this one is a copy of it.',
    'See "A copied state" in docs/operations.md.',
  );
}

function writeFirstState(context: RepositoryContext, start: Start): Promise<Oid> {
  const now = context.clock.now();
  const repository: RepositoryState = {
    version: 1,
    repositoryId: start.repositoryId,
    adopted: start.trunk,
    ready: false,
    pause: null,
    frozen: false,
    controlIssue: start.controlIssue,
    nextBuild: 1,
    lastLanded: null,
    intents: {},
    waivers: [],
    consumedComments: [],
    answers: [],
    commentsSeenUntil: instant(Math.floor(now / 1000) * 1000),
  };
  const queue: QueueState = { version: 1, members: [], build: null };
  const files = new Map<string, unknown>([
    [statePaths.repository, repository],
    [statePaths.queue, queue],
  ]);
  return writeState(context.clone, {
    parent: null,
    files,
    message: 'ccd: first state',
    date: Math.floor(now / 1000),
  });
}

/** Lets the empty build go green and writes `ready`: until then nothing lands. */
async function proveReady(
  context: RepositoryContext,
  head: Oid,
  trunk: Oid,
  policy: Extract<Awaited<ReturnType<typeof readPolicy>>, { kind: 'valid' }>,
  options: InitOptions,
): Promise<Oid> {
  const { clone, clock } = context;
  const read = await readStateFile(clone.objects, head, statePaths.repository, repositoryStateSchema);
  if (read.kind !== 'read') {
    throw fault(
      'state.unreadable',
      `ccd/state is ${read.kind}.`,
      'A person must restore the branch; it is never made anew.',
    );
  }
  if (read.value.ready) return head;
  options.onStep('first build');
  await proveGate(context, {
    number: read.value.nextBuild,
    trunk,
    state: head,
    policy: policy.policy,
    policyDigest: policy.digest,
    onWait: (names) => options.onStep(`waiting for ${names.join(', ')}`),
  });
  const repository: RepositoryState = { ...read.value, ready: true, nextBuild: read.value.nextBuild + 1 };
  const next = await writeState(clone, {
    parent: head,
    files: new Map([[statePaths.repository, repository]]),
    message: 'ccd: ready',
    date: Math.floor(clock.now() / 1000),
  });
  const pushed = await atomicPush(clone, [{ ref: stateRef, expected: head, next }]);
  if (pushed.kind === 'moved') return next;
  throw fault('init.state', `ccd/state moved meanwhile (${pushed.kind}).`, 'Run `ccd init` again.');
}

async function protect(
  context: RepositoryContext,
  policy: Parameters<typeof rulesetsOf>[1],
  options: InitOptions,
): Promise<RulesetsResult> {
  if (options.admin === null)
    return { kind: 'unavailable', reason: 'No token that may administer was given.' };
  options.onStep('rulesets');
  return putRulesets(options.admin, context.name, rulesetsOf(context.app.id, policy));
}

function fault(code: string, message: string, remedy: string): CcdError {
  return new CcdError({ code, message, remedy, audience: 'operator' });
}
