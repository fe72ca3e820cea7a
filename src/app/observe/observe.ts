import type { IssueNumber, Oid } from '../../domain/ids.ts';
import type { Alarm, ObservedCommand, ObservedIssue, ObservedPull, Snapshot } from '../../domain/snapshot.ts';
import type { State, TaskState } from '../../domain/state.ts';
import { firstParents } from '../../git/history.ts';
import { branchRef, stateRef } from '../../git/refs.ts';
import { observeBlockedBy } from '../../github/observe/blocked-by.ts';
import { observeCommands } from '../../github/observe/commands.ts';
import { observeEditors } from '../../github/observe/editors.ts';
import { observeIssues } from '../../github/observe/issues.ts';
import { mayWrite, withPermission } from '../../github/observe/permission.ts';
import { observePull } from '../../github/observe/pulls.ts';
import { observeRepository } from '../../github/observe/repository.ts';
import type { LoadedPolicy } from '../../policy/load-policy.ts';
import { parseCommentCommand } from '../../spec/comment-command.ts';
import type { ParsedSpec } from '../../spec/parse-spec.ts';
import { dispatchLabel } from '../../text/labels.ts';
import type { RepositoryContext } from '../context.ts';
import { findAlarms } from './find-alarms.ts';
import { findDoubled, issuesOfOwn } from './find-doubled.ts';
import { loadState, loadTasks } from './load-state.ts';
import { observeProjections } from './observe-projections.ts';
import { observeRuns } from './observe-runs.ts';
import { readPolicy } from './read-policy.ts';
import { specReader } from './spec-reader.ts';

export type Observation =
  | {
      readonly kind: 'observed';
      readonly snapshot: Snapshot;
      readonly policy: Extract<LoadedPolicy, { kind: 'valid' }>;
      readonly readSpec: (issue: ObservedIssue) => ParsedSpec;
    }
  /** Nothing can be decided: without state or policy there is no snapshot. */
  | { readonly kind: 'alarm'; readonly alarm: Alarm }
  /** GitHub still answers to the old name, but what is compared by name would not be found: the new name gets a loop of its own. */
  | { readonly kind: 'renamed'; readonly to: string }
  | { readonly kind: 'policy-invalid'; readonly problems: readonly string[] };

/** First-parent commits of trunk that are read for their landing trailers. */
const chainLength = 50;
/** Age up to which the rights of somebody whose request was honoured count as read now. */
const rightsAgeMs = 60_000;

/** Reads everything that one decision needs, fresh. The size of the read follows what is active, not what is open. */
export async function observe(context: RepositoryContext): Promise<Observation> {
  const { client, clone, name, app } = context;
  const [repository, refs] = await Promise.all([observeRepository(client, name, app), clone.fetch()]);
  const stateHead = refs.get(stateRef) ?? null;
  const [owner, repo] = [repository.owner.toLowerCase(), repository.name.toLowerCase()];
  if (owner !== name.owner.toLowerCase() || repo !== name.name.toLowerCase()) {
    return { kind: 'renamed', to: `${repository.owner}/${repository.name}` };
  }
  const trunkOid = refs.get(branchRef(repository.trunk));
  const loaded = await loadState(clone.objects, stateHead);
  if (loaded.kind === 'alarm') return loaded;
  if (trunkOid === undefined || stateHead === null) {
    return {
      kind: 'alarm',
      alarm: { code: 'state-missing', detail: `Trunk ${repository.trunk} is not there.` },
    };
  }
  const policy = await readPolicy(clone.objects, trunkOid);
  if (policy.kind === 'invalid') {
    return {
      kind: 'policy-invalid',
      problems: policy.problems.map((problem) => `${problem.field}: ${problem.message}`),
    };
  }
  const readSpec = specReader(policy.policy, name);
  const commands = await observePersonCommands(context, loaded.state);
  const spokenOf = [
    ...commands.filter((command) => !command.onPull).map((command) => command.number),
    ...issuesOfOwn(context),
  ];
  const seen = await observeTasks(context, stateHead, loaded.state, readSpec, spokenOf);
  if (seen.kind === 'alarm') return seen;
  const { state } = seen;
  const issues = await withEditors(context, seen.issues, commands);
  const [runs, projections, trunk, chain] = await Promise.all([
    observeRuns(context, state),
    observeProjections(context, state, repository.trunk),
    clone.objects.readCommit(trunkOid),
    firstParents(clone, trunkOid, state.repository.adopted, chainLength),
  ]);
  await observeCommandedPulls(context, commands, projections.pulls);
  const doubledComments = await findDoubled(context, state);
  const alarms = await findAlarms(
    context,
    {
      repositoryId: repository.id,
      botId: repository.botId,
      stateHead,
      trunk: trunkOid,
      chain: chain.commits,
    },
    state,
  );
  const snapshot: Snapshot = {
    now: context.clock.now(),
    instance: context.instance,
    takeoverMs: context.takeoverMs,
    repository,
    refs,
    stateHead,
    state,
    trunk: { oid: trunkOid, tree: trunk.tree },
    trunkChain: chain.commits,
    policyDigest: policy.digest,
    issues,
    commands,
    doubledComments,
    alarms,
    ...runs,
    ...projections,
  };
  return { kind: 'observed', snapshot, policy, readSpec };
}

type SeenTasks =
  | { readonly kind: 'seen'; readonly state: State; readonly issues: ReadonlyMap<IssueNumber, ObservedIssue> }
  | { readonly kind: 'alarm'; readonly alarm: Alarm };

async function observeTasks(
  context: RepositoryContext,
  stateHead: Oid,
  state: State,
  readSpec: (issue: ObservedIssue) => ParsedSpec,
  spokenOf: readonly IssueNumber[],
): Promise<SeenTasks> {
  const control = state.repository.controlIssue;
  const first = await readIssues(context, state, [
    ...state.tasks.keys(),
    ...spokenOf,
    ...(control === null ? [] : [control]),
  ]);
  const withNew = await loadTasks(
    context.clone.objects,
    stateHead,
    state,
    [...first.keys()].filter((n) => n !== control),
  );
  if (withNew.kind === 'alarm') return withNew;
  const issues = new Map<IssueNumber, ObservedIssue>();
  for (const [number, issue] of first) {
    issues.set(number, await withRights(context, issue, withNew.state.tasks.get(number)));
  }
  const dependencies = dependenciesOf(withNew.state, issues, readSpec);
  const withDependencies = await loadTasks(context.clone.objects, stateHead, withNew.state, dependencies);
  if (withDependencies.kind === 'alarm') return withDependencies;
  const foreign = dependencies.filter(
    (number) => !withDependencies.state.tasks.has(number) && !issues.has(number),
  );
  if (foreign.length > 0) {
    for (const [number, issue] of await readIssues(context, state, foreign)) {
      if (!issues.has(number)) issues.set(number, issue);
    }
  }
  return { kind: 'seen', state: withDependencies.state, issues };
}

async function readIssues(context: RepositoryContext, state: State, numbers: readonly number[]) {
  const consumed = new Map([...state.tasks].map(([number, task]) => [number, task.consumedEvents]));
  const found = await observeIssues(context.client, context.name, { numbers, dispatchLabel, consumed });
  return found.issues;
}

async function observeCommandedPulls(
  { client, name }: RepositoryContext,
  commands: readonly ObservedCommand[],
  pulls: Map<IssueNumber, ObservedPull>,
): Promise<void> {
  for (const command of commands) {
    if (!command.onPull || pulls.has(command.number)) continue;
    const pull = await observePull(client, name, command.number, { reviews: false });
    if (pull !== null) pulls.set(pull.number, pull);
  }
}

/** Who changed an issue is asked only where somebody waives a finding on it. */
async function withEditors(
  { client, name }: RepositoryContext,
  issues: ReadonlyMap<IssueNumber, ObservedIssue>,
  commands: readonly ObservedCommand[],
): Promise<ReadonlyMap<IssueNumber, ObservedIssue>> {
  const result = new Map(issues);
  for (const { number, body } of commands) {
    const reading = parseCommentCommand(body);
    const issue = result.get(number);
    if (issue === undefined || reading.kind !== 'command' || reading.command.verb !== 'waive') continue;
    result.set(number, { ...issue, editors: await observeEditors(client, name, number) });
  }
  return result;
}

/** Rights are read at the moment they are used: when a request is new, and again when its task may be claimed. */
async function withRights(
  context: RepositoryContext,
  issue: ObservedIssue,
  task: TaskState | undefined,
): Promise<ObservedIssue> {
  const consumed = new Set(task?.consumedEvents ?? []);
  const fresh = issue.requests.some((event) => !consumed.has(event.eventId));
  const waits = task?.phase === 'waiting' || task?.phase === 'ready';
  const askerMayWrite =
    task === undefined || task.request === null || task.settled
      ? null
      : await rightOf(context, task.request.login);
  if (!fresh && !waits) return { ...issue, askerMayWrite };
  const { client, name } = context;
  const [author, requests, blockedBy] = await Promise.all([
    fresh ? withPermission(client, name, issue.author) : issue.author,
    Promise.all(
      issue.requests.map(async (event) =>
        consumed.has(event.eventId)
          ? event
          : { ...event, actor: await withPermission(client, name, event.actor) },
      ),
    ),
    observeBlockedBy(client, name, issue.number),
  ]);
  return { ...issue, author, requests, askerMayWrite, blockedBy };
}

/** For an account whose request was honoured: whether it may still write, not older than a minute. */
async function rightOf(context: RepositoryContext, login: string): Promise<boolean> {
  const { client, name, clock, memory } = context;
  const known = memory.rights.get(login);
  const age = known === undefined ? rightsAgeMs : clock.now() - known.at;
  // A clock that was put back makes nothing younger.
  if (known !== undefined && age >= 0 && age < rightsAgeMs) return known.mayWrite;
  const may = await mayWrite(client, name, login);
  memory.rights.set(login, { mayWrite: may, at: clock.now() });
  return may;
}

function dependenciesOf(
  state: State,
  issues: ReadonlyMap<IssueNumber, ObservedIssue>,
  readSpec: (issue: ObservedIssue) => ParsedSpec,
): IssueNumber[] {
  const numbers = new Set<IssueNumber>();
  for (const [number, issue] of issues) {
    const task = state.tasks.get(number);
    const waits =
      task === undefined || task.phase === 'waiting' || task.phase === 'ready' || issue.blockedBy !== null;
    if (!waits || number === state.repository.controlIssue) continue;
    const read = readSpec(issue);
    for (const dependency of [
      ...(read.kind === 'valid' ? read.spec.dependsOn : []),
      ...(issue.blockedBy ?? []),
      ...(task?.dependsOn ?? []),
    ]) {
      numbers.add(dependency);
    }
  }
  return [...numbers].sort((a, b) => a - b);
}

async function observePersonCommands(context: RepositoryContext, state: State): Promise<ObservedCommand[]> {
  const since = latest(state.repository.commentsSeenUntil, context.memory.commentsSeenUntil);
  const { client, name, app, memory } = context;
  const { commands, own, seenUntil } = await observeCommands(client, name, since, app.botId);
  for (const comment of own)
    memory.ownComments.set(comment.id, { looks: 0, ...memory.ownComments.get(comment.id), ...comment });
  const consumed = new Set(state.repository.consumedComments);
  const fresh = commands.filter((command) => !consumed.has(command.commentId));
  if (fresh.length === 0) context.memory.commentsSeenUntil = latest(since, seenUntil);
  return Promise.all(
    fresh.map(async (command) => ({
      ...command,
      actor: await withPermission(context.client, context.name, command.actor),
    })),
  );
}

function latest(left: string | null, right: string | null): string | null {
  if (left === null || right === null) return left ?? right;
  return Date.parse(left) > Date.parse(right) ? left : right;
}
