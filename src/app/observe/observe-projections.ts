import type { IssueNumber, Oid } from '../../domain/ids.ts';
import type { ObservedCheck, ObservedComment, ObservedPull } from '../../domain/snapshot.ts';
import type { Answer, Member, State, TaskState } from '../../domain/state.ts';
import { observeChecks } from '../../github/observe/checks.ts';
import { findMarked, observeComment } from '../../github/observe/comments.ts';
import { withPermission } from '../../github/observe/permission.ts';
import { findPullByHead, observePull } from '../../github/observe/pulls.ts';
import { intentKeys } from '../../supervisor/intend.ts';
import { renderMarker } from '../../text/marker.ts';
import type { RepositoryContext } from '../context.ts';

export const guardCheckName = 'ccd / guard';
export const landingCheckName = 'ccd / landing';

export interface SeenProjections {
  readonly pulls: Map<IssueNumber, ObservedPull>;
  readonly pullsByHead: Map<IssueNumber, ObservedPull>;
  readonly comments: Map<IssueNumber, ObservedComment>;
  readonly goneComments: Set<IssueNumber>;
  readonly answered: Set<string>;
  readonly ownChecks: Map<Oid, ObservedCheck[]>;
  readonly checks: Map<Oid, ObservedCheck[]>;
}

/**
 * Reads what people see of the active tasks and of the build in flight. What is not known by id is searched for only when an
 * intent says that somebody set out to make it.
 */
export async function observeProjections(
  context: RepositoryContext,
  state: State,
  trunk: string,
): Promise<SeenProjections> {
  const seen: SeenProjections = {
    pulls: new Map(),
    pullsByHead: new Map(),
    comments: new Map(),
    goneComments: new Set(),
    answered: new Set(),
    ownChecks: new Map(),
    checks: new Map(),
  };
  const active = [...state.tasks.values()].filter((task) => !task.settled);
  await Promise.all([
    ...active.map((task) => observePullOf(context, state, { task, trunk }, seen)),
    ...active.map((task) => observeCommentOf(context, state, task, seen)),
    ...active.map((task) => observeGuardCheckOf(context, task, seen)),
    ...state.repository.answers.map((answer) => observeAnswer(context, state, answer, seen)),
    ...state.queue.members.map((member) => observeQueuedPull(context, member, seen)),
    observeBuildChecks(context, state, seen),
  ]);
  return seen;
}

async function observePullOf(
  context: RepositoryContext,
  state: State,
  { task, trunk }: { readonly task: TaskState; readonly trunk: string },
  seen: SeenProjections,
): Promise<void> {
  const { client, name } = context;
  if (task.pull !== null) {
    const pull = await observePull(client, name, task.pull.number, { reviews: task.phase === 'reviewing' });
    if (pull !== null) seen.pulls.set(pull.number, await withReviewers(context, pull));
  } else if (state.repository.intents[intentKeys.pull(task.issue)] !== undefined) {
    const found = await findPullByHead(client, name, { branch: `ccd/task/${task.issue}`, base: trunk });
    if (found === null) return;
    seen.pullsByHead.set(task.issue, found);
    seen.pulls.set(found.number, found);
  }
}

/** The pull request with the rights of its reviewers as they are now. */
export async function withReviewers(context: RepositoryContext, pull: ObservedPull): Promise<ObservedPull> {
  const reviews = await Promise.all(
    pull.reviews.map(async (review) => ({
      ...review,
      actor: await withPermission(context.client, context.name, review.actor),
    })),
  );
  return { ...pull, reviews };
}

async function observeCommentOf(
  context: RepositoryContext,
  state: State,
  task: TaskState,
  seen: SeenProjections,
): Promise<void> {
  const { client, name, app } = context;
  const intended = state.repository.intents[intentKeys.statusComment(task.issue)] !== undefined;
  if (task.statusComment === null && !intended) return;
  const comment =
    task.statusComment === null
      ? await findMarked(client, name, task.issue, {
          marker: renderMarker('status', { issue: task.issue }),
          botId: app.botId,
        })
      : await observeComment(client, name, task.statusComment);
  if (comment !== null) seen.comments.set(task.issue, comment);
  else if (task.statusComment !== null) seen.goneComments.add(task.issue);
}

/** A person's queued pull request: what leaves the queue by being closed or pushed to is seen here. */
async function observeQueuedPull(
  { client, name }: RepositoryContext,
  member: Member,
  seen: SeenProjections,
): Promise<void> {
  if (member.kind !== 'pull') return;
  const pull = await observePull(client, name, member.number, { reviews: false });
  if (pull !== null) seen.pulls.set(pull.number, pull);
}

async function observeAnswer(
  { client, name, app }: RepositoryContext,
  state: State,
  { to, number }: Answer,
  seen: SeenProjections,
): Promise<void> {
  if (state.repository.intents[intentKeys.answer(to)] === undefined) return;
  const marker = renderMarker('reply', { to });
  if ((await findMarked(client, name, number, { marker, botId: app.botId })) !== null) seen.answered.add(to);
}

/** Read in each pass, not only where it is to be made: an instance that stood still may have put another one beside it. */
async function observeGuardCheckOf(
  context: RepositoryContext,
  task: TaskState,
  seen: SeenProjections,
): Promise<void> {
  const commit = task.refused?.commit ?? task.candidate?.oid ?? null;
  if (commit === null) return;
  const search = { name: guardCheckName, appId: context.app.id, runs: false };
  seen.ownChecks.set(commit, await observeChecks(context.client, context.name, commit, search));
}

async function observeBuildChecks(
  context: RepositoryContext,
  state: State,
  seen: SeenProjections,
): Promise<void> {
  const commit = state.queue.build?.commit ?? null;
  if (commit === null) return;
  seen.checks.set(commit, await observeChecks(context.client, context.name, commit, { runs: true }));
}
