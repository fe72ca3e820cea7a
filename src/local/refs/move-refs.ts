import { holds } from '../access.ts';
import { isAncestor } from '../git/ancestry.ts';
import { type LoggedCommit, type Look, logCommits } from '../git/commit-log.ts';
import { isOid, ZERO_OID } from '../git/oid.ts';
import type { Quarantine } from '../git/quarantine.ts';
import { isHiddenRef, isValidRefName } from '../git/ref-name.ts';
import type { GitRepository } from '../git/repository.ts';
import type { Principal } from '../principal.ts';
import type { Repo } from '../records/repository.ts';
import { type Move, type PullMerge, violations } from '../rules/violations.ts';
import type { Store } from '../store.ts';
import { type AppliedMove, afterMove } from './after-move.ts';

/** `oldOid` is what the ref must be now (zeros: must not exist); null takes whatever it is. */
export interface RefUpdate {
  readonly ref: string;
  readonly oldOid: string | null;
  readonly newOid: string;
}

export type RefOutcome =
  | { readonly kind: 'moved'; readonly ref: string }
  | {
      readonly kind: 'refused';
      readonly ref: string;
      readonly cause:
        | 'hidden'
        | 'name'
        | 'stale'
        | 'object'
        | 'rules'
        | 'workflows'
        | 'current-branch'
        | 'conflict'
        | 'atomic';
      /** What git prints in brackets behind the ref. */
      readonly reason: string;
      /** What git prints as `remote:` lines. */
      readonly messages: readonly string[];
    };

type Refusal = Extract<RefOutcome, { kind: 'refused' }>;

interface Judged {
  readonly update: RefUpdate;
  readonly before: string;
  readonly forced: boolean;
  readonly commits: readonly LoggedCommit[];
}

export interface MoveOptions {
  /** All or nothing. */
  readonly atomic: boolean;
  readonly quarantine?: Quarantine;
  /** Set when a pull request is merged by GitHub itself: other rules hold than for a push. */
  readonly merge?: PullMerge;
}

/**
 * The one place where refs move: pushes, REST and everything else come through here, one caller at a time per repository.
 * Answers one outcome for each update, in their order. Judges each update (name, lease, rules, workflows permission); moves all that may move, or with `atomic` all or none.
 * The caller has been checked for `contents: write` at its door.
 */
export function moveRefs(
  store: Store,
  repo: Repo,
  principal: Principal,
  updates: readonly RefUpdate[],
  options: MoveOptions,
): Promise<RefOutcome[]> {
  return repo.git.lock.run(async () => {
    let known: ReturnType<Look['tips']> | null = null;
    const tips = () => {
      known ??= repo.git.tips();
      return known;
    };
    const look = { ...options.quarantine?.look, tips };
    const judged = await Promise.all(updates.map((update) => judge(repo, principal, update, options, look)));
    const outcomes = await carryOut(repo, judged, options);
    const moves = judged.flatMap((one, index): AppliedMove[] => {
      if (isRefusal(one) || outcomes[index]!.kind !== 'moved') return [];
      const { ref, newOid } = one.update;
      return [{ ref, before: one.before, after: newOid, forced: one.forced, commits: one.commits }];
    });
    await afterMove(store, repo, principal, moves);
    return outcomes;
  });
}

const isRefusal = (value: Judged | Refusal): value is Refusal => 'kind' in value;

const refusal = (
  ref: string,
  cause: Refusal['cause'],
  reason: string,
  messages: readonly string[] = [],
): Refusal => ({ kind: 'refused', ref, cause, reason, messages });

async function judge(
  repo: Repo,
  principal: Principal,
  update: RefUpdate,
  options: MoveOptions,
  look: Partial<Look>,
): Promise<Judged | Refusal> {
  const { ref, newOid } = update;
  if (isHiddenRef(ref)) return refusal(ref, 'hidden', 'deny updating a hidden ref');
  if (!isValidRefName(ref)) return refusal(ref, 'name', 'funny refname');
  // Before anything hands it to git, which would read an option in it.
  if (!isOid(newOid)) return refusal(ref, 'object', 'missing necessary objects');
  const before = (await repo.git.ref(ref)) ?? ZERO_OID;
  if (update.oldOid !== null && update.oldOid !== before)
    return refusal(ref, 'stale', 'failed to update ref');
  const defaultRef = `refs/heads/${repo.defaultBranch}`;
  if (newOid === ZERO_OID && ref === defaultRef)
    return refusal(ref, 'current-branch', `refusing to delete the current branch: ${ref}`);
  const move = { ...describeMove(repo.git, ref, before, newOid, look), ...mergePart(options) };
  const broken = await violations(repo, principal, move, defaultRef);
  if (broken.length > 0) return ruleRefusal(repo, ref, broken);
  const workflow = await forbiddenWorkflow(repo, principal, move, before, look);
  if (workflow) return workflow;
  return {
    update,
    before,
    forced: move.kind === 'update' && !(await move.isFastForward()),
    commits: move.kind === 'delete' ? [] : await pushedCommits(repo.git, move, before, look),
  };
}

const mergePart = (options: MoveOptions) => (options.merge ? { merge: options.merge } : {});

function describeMove(
  git: GitRepository,
  ref: string,
  before: string,
  newOid: string,
  look: Partial<Look>,
): Move {
  const range = before === ZERO_OID ? [newOid, '--not', '--all'] : [`${before}..${newOid}`];
  let fastForward: Promise<boolean> | null = null;
  return {
    ref,
    newOid,
    kind: newOid === ZERO_OID ? 'delete' : before === ZERO_OID ? 'create' : 'update',
    isFastForward: () => {
      fastForward ??= isAncestor(git, before, newOid, look);
      return fastForward;
    },
    hasMergeCommits: async () =>
      (await git.run(['rev-list', '--merges', '--max-count=1', ...range], { env: look.env ?? {} })).stdout
        .length > 0,
  };
}

const pushedCommits = (
  git: GitRepository,
  move: Move,
  before: string,
  look: Partial<Look>,
): Promise<LoggedCommit[]> =>
  logCommits(
    git,
    move.kind === 'create' ? [move.newOid, '--not', '--all'] : [`${before}..${move.newOid}`],
    look,
  );

function ruleRefusal(repo: Repo, ref: string, broken: readonly string[]): Refusal {
  const where = `/${repo.owner.login}/${repo.name}/rules?ref=${encodeURIComponent(ref)}`;
  return refusal(ref, 'rules', 'push declined due to repository rule violations', [
    `error: GH013: Repository rule violations found for ${ref}.`,
    `Review all repository rules at ${where}`,
    '',
    ...broken.map((line) => `- ${line}`),
    '',
  ]);
}

/** Tokens without `workflows: write` may not bring commits that touch workflow files. People may. */
async function forbiddenWorkflow(
  repo: Repo,
  principal: Principal,
  move: Move,
  before: string,
  look: Partial<Look>,
): Promise<Refusal | null> {
  if (principal.kind !== 'installation' && principal.kind !== 'job') return null;
  if (move.kind === 'delete' || holds(principal.permissions, 'workflows:write')) return null;
  const known = before === ZERO_OID ? [] : [before];
  const commits = await logCommits(repo.git, [move.newOid, '--not', ...known, '--all'], look);
  const path = commits
    .flatMap((commit) => commit.changes)
    .find((change) => change.path.startsWith('.github/workflows/'))?.path;
  if (path === undefined) return null;
  const reason = `refusing to allow a GitHub App to create or update workflow \`${path}\` without \`workflows\` permission`;
  return refusal(move.ref, 'workflows', reason);
}

async function carryOut(
  repo: Repo,
  judged: readonly (Judged | Refusal)[],
  options: MoveOptions,
): Promise<RefOutcome[]> {
  const refused = judged.filter(isRefusal);
  const good = judged.filter((one): one is Judged => !isRefusal(one));
  if (good.length === 0 || (options.atomic && refused.length > 0))
    return judged.map((one) =>
      isRefusal(one) ? one : refusal(one.update.ref, 'atomic', 'atomic push failure'),
    );
  await options.quarantine?.migrate();
  const error = await transaction(repo.git, good);
  if (error === null)
    return judged.map((one) => (isRefusal(one) ? one : { kind: 'moved', ref: one.update.ref }));
  if (options.atomic)
    return good.map((one) => refusal(one.update.ref, 'conflict', 'atomic transaction failed', spoken(error)));
  return oneByOne(repo.git, judged);
}

async function oneByOne(git: GitRepository, judged: readonly (Judged | Refusal)[]): Promise<RefOutcome[]> {
  const outcomes: RefOutcome[] = [];
  for (const one of judged) {
    const error = isRefusal(one) ? null : await transaction(git, [one]);
    if (isRefusal(one)) outcomes.push(one);
    else if (error === null) outcomes.push({ kind: 'moved', ref: one.update.ref });
    else outcomes.push(refusal(one.update.ref, 'conflict', 'failed to update ref', spoken(error)));
  }
  return outcomes;
}

/** What git says of refs alone; its other words can name folders of this machine. */
function spoken(error: string): string[] {
  const told =
    /cannot lock ref '[^']*': (?:'[^']*' exists; cannot create '[^']*'|there are still refs under '[^']*')/.exec(
      error,
    );
  return told === null ? [] : [told[0]];
}

/** Moves refs in one git transaction. Answers git's error, or null. */
const transaction = (git: GitRepository, moves: readonly Judged[]): Promise<string | null> =>
  git.moveRefs(moves.map(({ update: { ref, newOid }, before }) => ({ ref, before, after: newOid })));
