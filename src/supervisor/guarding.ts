import type { FactsState, TaskState } from '../domain/state.ts';
import { needsReview } from '../landing/review-word.ts';
import { because, type Draft, tasksInOrder } from './draft.ts';
import { followFacts } from './facts-job.ts';
import { regenerate } from './regenerate.ts';

/** Brings each reported candidate to a verdict, and acts on it. */
export function guarding(draft: Draft): void {
  for (const task of tasksInOrder(draft)) {
    if (task.phase !== 'guarding') continue;
    if (task.refused !== null) draft.computations.push({ kind: 'publish-refused', issue: task.issue });
    else if (task.candidate === null) continue;
    else if (task.verdict === null) seekVerdict(draft, task);
    else actOnVerdict(draft, task, task.verdict.verdict);
  }
}

function seekVerdict(draft: Draft, task: TaskState): void {
  const facts = task.facts;
  if (facts === null) {
    draft.computations.push({
      kind: 'judge-candidate',
      issue: task.issue,
      try: 1,
      factsArtifact: null,
      factsMissing: false,
    });
    return;
  }
  const step = followFacts(draft, facts, { kind: 'candidate', issue: task.issue });
  task.facts = step.facts;
  if (step.kind === 'waits') return;
  draft.computations.push({
    kind: 'judge-candidate',
    issue: task.issue,
    try: facts.try,
    factsArtifact: step.kind === 'delivered' ? step.artifactId : null,
    factsMissing: step.kind === 'missing',
  });
}

function actOnVerdict(draft: Draft, task: TaskState, verdict: 'pass' | 'fail' | 'could-not-judge'): void {
  const judged = task.records.find((record) => record.attempt === task.candidate?.attempt);
  if (judged !== undefined) judged.verdict = verdict;
  if (verdict === 'fail') return regenerate(draft, task, because('guard-failed', task.generation));
  if (verdict === 'could-not-judge') return retryJudging(draft, task);
  const issue = draft.snapshot.issues.get(task.issue);
  if (issue === undefined) return;
  const read = draft.readSpec(issue);
  if (read.kind === 'invalid') {
    task.phase = 'held';
    task.reason = because('spec-invalid');
    return;
  }
  const wanted = needsReview(read.spec.profiles);
  task.phase = wanted ? 'reviewing' : 'queued';
  task.reason = wanted ? because('waits-for-review', task.pull?.number ?? null) : null;
}

/** Retries come out of the app's budget of tries; then the task is held and nobody is blamed. */
function retryJudging(draft: Draft, task: TaskState): void {
  const tries = task.verdict?.try ?? 1;
  if (tries >= draft.policy.guard.tries || task.facts === null) {
    task.phase = 'held';
    task.reason = because(`could-not-judge.${task.verdict?.reason ?? 'unknown'}`.slice(0, 80));
    return;
  }
  task.verdict = null;
  task.facts = nextTry(task.facts);
}

/** The same plan once more: another run, another artifact. */
export function nextTry(facts: FactsState): FactsState {
  return {
    planDigest: facts.planDigest,
    try: facts.try + 1,
    dispatchedAt: null,
    runId: null,
    state: 'wanted',
  };
}

/** A facts job that the judging asked for. */
export function wantFacts(planDigest: string): FactsState {
  return { planDigest, try: 1, dispatchedAt: null, runId: null, state: 'wanted' };
}
