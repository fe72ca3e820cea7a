import type { Effect } from '../../../src/domain/command.ts';
import type { ObservedCheck, ObservedRun } from '../../../src/domain/snapshot.ts';
import { workerRunTitle, workerWorkflow } from '../../../src/supervisor/attempts.ts';
import { factsRunTitle, guardWorkflow } from '../../../src/supervisor/facts-job.ts';
import { appId, botId, checkOf, pullOf } from '../../support/snapshots.ts';
import { changeIssue, instantOf, newId, type SimRun, type SimWorld } from './world.ts';

/** Makes one write as GitHub would: without any condition but its own rules. */
export function applyTo(world: SimWorld, effect: Effect): void {
  switch (effect.kind) {
    case 'create-status-comment':
      world.comments.push({ id: newId(world), number: effect.issue, body: effect.body });
      return;
    case 'update-comment': {
      const at = world.comments.findIndex((comment) => comment.id === effect.commentId);
      if (at >= 0) world.comments[at] = { ...world.comments[at]!, body: effect.body };
      return;
    }
    case 'set-labels': {
      const labels = world.issues.get(effect.issue)!.labels.filter((name) => !effect.remove.includes(name));
      changeIssue(world, effect.issue, { labels: [...new Set([...labels, ...effect.add])] });
      return;
    }
    case 'create-pull':
      createPull(world, effect);
      return;
    case 'update-pull':
      changePull(world, effect.pull, { body: effect.body });
      return;
    case 'mark-ready':
      changePull(world, effect.pull, { draft: false });
      return;
    case 'close-pull':
      changePull(world, effect.pull, { open: false });
      return;
    case 'put-guard-check':
      putCheck(world, effect.commit, effect.checkId, { name: 'ccd / guard', externalId: effect.shown });
      return;
    case 'put-landing-check':
      putCheck(world, effect.commit, effect.checkId, { name: 'ccd / landing', externalId: effect.keyDigest });
      return;
    case 'dispatch-worker':
      start(
        world,
        { kind: 'worker', attempt: effect.attempt },
        {
          path: workerWorkflow,
          branch: 'ccd/run',
          title: workerRunTitle(effect.attempt, effect.contractDigest),
        },
      );
      return;
    case 'dispatch-facts':
      start(
        world,
        { kind: 'facts', plan: effect.planDigest, try: effect.try },
        {
          path: guardWorkflow,
          branch: 'ccd/facts',
          title: factsRunTitle(effect.planDigest, effect.try),
        },
      );
      return;
    case 'cancel-run': {
      const found = world.runs.get(effect.runId);
      if (found !== undefined && found.run.status !== 'completed') {
        found.run = { ...found.run, status: 'completed', conclusion: 'cancelled' };
      }
      return;
    }
    case 'close-issue':
      changeIssue(world, effect.issue, { open: false, stateReason: effect.as });
      return;
    case 'reply':
    case 'update-control-issue':
      return;
  }
}

function createPull(world: SimWorld, effect: Extract<Effect, { kind: 'create-pull' }>): void {
  const head = world.refs.get(`refs/heads/${effect.head}`);
  const exists = [...world.pulls.values()].some((pull) => pull.open && pull.headRef === effect.head);
  if (head === undefined || exists) return;
  const number = newId(world);
  world.pulls.set(
    number,
    pullOf(number, { head, headRef: effect.head, base: effect.base, body: effect.body, draft: effect.draft }),
  );
}

function changePull(world: SimWorld, number: number, change: Parameters<typeof pullOf>[1]): void {
  const pull = world.pulls.get(number);
  if (pull !== undefined) world.pulls.set(number, { ...pull, ...change });
}

function putCheck(world: SimWorld, commit: string, id: number | null, over: Partial<ObservedCheck>): void {
  const standing = world.checks.get(commit) ?? [];
  const check = checkOf(commit, { id: id ?? newId(world), appId, run: null, ...over });
  world.checks.set(commit, [...standing.filter((entry) => entry.id !== id), check]);
}

function start(world: SimWorld, of: SimRun['of'], run: Pick<ObservedRun, 'path' | 'branch' | 'title'>): void {
  const id = newId(world);
  const head = world.refs.get(`refs/heads/${run.branch}`)!;
  const event = 'workflow_dispatch';
  const createdAt = instantOf(world);
  world.runs.set(id, {
    run: {
      ...run,
      id,
      attempt: 1,
      event,
      head,
      actorId: botId,
      status: 'queued',
      conclusion: null,
      createdAt,
    },
    of,
    artifacts: [],
    started: false,
  });
}
