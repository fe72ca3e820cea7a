import { digestValue } from '../domain/digest.ts';
import type { Phase, TaskState } from '../domain/state.ts';
import { renderControlIssue } from '../text/control-issue.ts';
import { echo } from '../text/echo.ts';
import { dispatchLabel, projectLabels } from '../text/labels.ts';
import { renderPullBody, renderPullTitle } from '../text/pull-body.ts';
import { renderStatusComment } from '../text/status-comment.ts';
import { type Draft, tasksInOrder } from './draft.ts';
import { intend, intentKeys } from './intend.ts';

/** Phases at whose end the request is used up: a person sets the label again for another start. */
const requestUsedUp: ReadonlySet<Phase> = new Set(['landed', 'halted', 'invalid', 'withdrawn', 'held']);

/**
 * Shows the state to people: status comment, labels, pull request, guard check, control issue. All of these are projections:
 * whatever stands there is overwritten when it differs.
 */
export function project(draft: Draft): void {
  for (const task of tasksInOrder(draft)) {
    if (task.settled || !draft.snapshot.issues.has(task.issue)) continue;
    projectPull(draft, task);
    projectGuardCheck(draft, task);
    projectLabelsOf(draft, task);
    projectStatusComment(draft, task);
  }
  for (const { id, number } of draft.snapshot.doubledComments)
    draft.effects.push({ kind: 'delete-comment', number, commentId: id });
  projectControlIssue(draft);
}

function projectStatusComment(draft: Draft, task: TaskState): void {
  const body = statusBody(draft, task);
  const shown = draft.snapshot.comments.get(task.issue);
  if (draft.snapshot.goneComments.has(task.issue)) task.statusComment = null;
  task.statusComment ??= shown?.id ?? null;
  if (task.statusComment === null) {
    intend(draft, intentKeys.statusComment(task.issue), {
      kind: 'create-status-comment',
      issue: task.issue,
      body,
    });
  } else if (shown !== undefined && normalised(shown.body) !== normalised(body)) {
    draft.effects.push({ kind: 'update-comment', issue: task.issue, commentId: task.statusComment, body });
  }
}

/** GitHub may change line ends and trailing blanks of what it stores. */
function normalised(text: string): string {
  return text.replace(/\r\n/g, '\n').trimEnd();
}

function statusBody(draft: Draft, task: TaskState): string {
  const issue = draft.snapshot.issues.get(task.issue)!;
  const position = draft.queue.members.findIndex((member) => member.number === task.issue);
  return renderStatusComment({
    issue: task.issue,
    phase: task.phase,
    reason: task.reason,
    generation: task.generation,
    spentGenerations: task.spent.generations,
    maxGenerations: draft.policy.caps.generations,
    attempt: task.attempt?.id ?? null,
    runUrl: task.attempt?.runId == null ? null : `../actions/runs/${task.attempt.runId}`,
    candidate: task.candidate?.oid ?? null,
    verdict: shownVerdict(task),
    findings: [],
    pull: task.pull?.number ?? null,
    queuePosition: position < 0 ? null : position + 1,
    landed: task.landed === null ? null : { commit: task.landed.commit, build: task.landed.build },
    spentMicroUsd: task.records.some((record) => record.microUsd !== null) ? task.spent.microUsd : null,
    unmetered: task.records.filter((record) => record.microUsd === null).length,
    late: task.handovers.filter((entry) => entry.result === 'stale_generation').length,
    bodyDigest: task.bodyDigest,
    echo: isPinned(task, issue.bodyDigest) ? echo(draft.readSpec(issue)) : null,
  });
}

/** Only a text that was pinned is echoed; an invalid one is followed through its corrections. */
function isPinned(task: TaskState, bodyDigest: string): boolean {
  return task.phase === 'invalid' || (task.bodyDigest !== null && task.bodyDigest === bodyDigest);
}

/** The verdict, or what the static rules alone have said so far. */
function shownVerdict(
  task: TaskState,
): Pick<NonNullable<TaskState['verdict']>, 'verdict' | 'findings'> | null {
  if (task.refused !== null) return { verdict: 'fail', findings: task.refused.findings };
  if (task.verdict !== null) return task.verdict;
  const findings = task.candidate?.staticFindings ?? [];
  return findings.length > 0 ? { verdict: 'fail', findings } : null;
}

function projectLabelsOf(draft: Draft, task: TaskState): void {
  const labels = draft.snapshot.issues.get(task.issue)!.labels;
  const change = projectLabels(labels, task.phase);
  const isUsedUp =
    requestUsedUp.has(task.phase) && labels.includes(dispatchLabel) && !hasFreshRequest(draft, task);
  const usedUp = isUsedUp ? [dispatchLabel] : [];
  const remove = [...change.remove, ...usedUp];
  if (change.add.length + remove.length > 0) {
    draft.effects.push({ kind: 'set-labels', issue: task.issue, add: change.add, remove });
  }
}

/** A request that was not consumed yet keeps its label. */
function hasFreshRequest(draft: Draft, task: TaskState): boolean {
  const { requests } = draft.snapshot.issues.get(task.issue)!;
  return requests.some((event) => !task.consumedEvents.includes(event.eventId));
}

function projectPull(draft: Draft, task: TaskState): void {
  const { candidate } = task;
  const head = `ccd/task/${task.issue}`;
  if (candidate === null || task.phase === 'landed') return;
  const found = draft.snapshot.pullsByHead.get(task.issue);
  if (found?.open === true && found.base === draft.snapshot.repository.trunk) {
    if (found.author.id === draft.snapshot.repository.botId)
      task.pull ??= { number: found.number, id: found.id };
    else if (task.pull === null) return giveWay(draft, task, found.number);
  }
  const body = renderPullBody({
    issue: task.issue,
    generation: Math.max(1, task.generation),
    attempt: candidate.attempt,
    candidate: candidate.oid,
  });
  if (task.pull === null) {
    if (task.phase === 'withdrawn' || candidate.attempt !== task.attempt?.id) return;
    if (draft.snapshot.refs.get(`refs/heads/${head}`) !== candidate.oid) return;
    const title = renderPullTitle(task.issue, draft.snapshot.issues.get(task.issue)!.title);
    const base = draft.snapshot.repository.trunk;
    intend(draft, intentKeys.pull(task.issue), {
      kind: 'create-pull',
      issue: task.issue,
      head,
      base,
      title,
      body,
      draft: true,
    });
    return;
  }
  const pull = draft.snapshot.pulls.get(task.pull.number);
  if (pull === undefined || !pull.open) return;
  if (normalised(pull.body) !== normalised(body)) {
    draft.effects.push({ kind: 'update-pull', issue: task.issue, pull: pull.number, body });
  }
  if (task.phase === 'queued' && pull.draft) {
    draft.effects.push({ kind: 'mark-ready', issue: task.issue, pull: pull.number, nodeId: pull.nodeId });
  }
}

/**
 * Somebody else's pull request from the task's branch stands in the way of ours, as GitHub takes one for each pair of branches. Its author
 * could close or retarget it at any time, so it is closed and ours opened in the next pass.
 */
function giveWay(draft: Draft, task: TaskState, pull: number): void {
  draft.effects.push({ kind: 'close-pull', issue: task.issue, pull });
}

function projectGuardCheck(draft: Draft, task: TaskState): void {
  const commit = task.refused?.commit ?? task.candidate?.oid ?? null;
  if (commit === null) return;
  const shown = digestValue({ commit, verdict: task.verdict, findings: shownVerdict(task)?.findings ?? [] });
  // Of two, GitHub shows the newest: that is the one to keep right.
  const seen = [...(draft.snapshot.ownChecks.get(commit) ?? [])].sort((one, other) => one.id - other.id);
  const standing = seen.at(-1);
  if (standing !== undefined) {
    task.guardCheck = { id: standing.id, commit, shown: shownOf(standing.externalId, commit) };
  }
  const known = task.guardCheck?.commit === commit ? task.guardCheck : null;
  if (known?.shown === shown) return;
  const key = intentKeys.guardCheck(task.issue, commit);
  intend(draft, key, {
    kind: 'put-guard-check',
    issue: task.issue,
    commit,
    checkId: known?.id ?? null,
    shown,
  });
}

/** The app writes the digest of what a check shows as its external id; anything else counts as showing nothing. */
function shownOf(externalId: string | null, commit: string): string {
  return externalId !== null && /^sha256:[0-9a-f]{64}$/.test(externalId)
    ? externalId
    : digestValue({ commit });
}

function projectControlIssue(draft: Draft): void {
  const number = draft.repository.controlIssue;
  const issue = number === null ? undefined : draft.snapshot.issues.get(number);
  if (number === null || issue === undefined) return;
  const { repository } = draft.snapshot;
  const body = renderControlIssue({
    repository: `${repository.owner}/${repository.name}`,
    trunk: repository.trunk,
    pause: draft.repository.pause,
    frozen: draft.repository.frozen,
    alarms: [],
    queue: draft.queue.members,
  });
  if (normalised(issue.body) !== normalised(body)) {
    draft.effects.push({ kind: 'update-control-issue', number, body });
  }
}
