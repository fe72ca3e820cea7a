import { artifactNames } from '../../../src/domain/contract.ts';
import { artifactOf, checkOf } from '../../support/snapshots.ts';
import { type ArtifactContent, idOf, newId, type SimRun, type SimWorld, type TreeWorth } from './world.ts';

/** How good the surroundings are to the machine: `lucky` delivers, the others break something. */
export type Luck = TreeWorth | 'lost' | 'failed' | 'red' | 'cancelled';

/** Lets runs, CI and GitHub's own bookkeeping go one step on. Says whether anything changed. */
export function surroundingsStep(world: SimWorld, luck: Luck): boolean {
  let changed = false;
  for (const job of world.runs.values()) {
    if (job.run.status === 'completed') continue;
    changed =
      (job.of.kind === 'facts'
        ? factsStep(world, job, luck)
        : workerStep(world, job, job.of.attempt, luck)) || changed;
  }
  changed = ciStep(world, luck) || changed;
  return pullStep(world) || changed;
}

function finish(job: SimRun, conclusion: string): true {
  job.run = { ...job.run, status: 'completed', conclusion };
  return true;
}

function put(world: SimWorld, job: SimRun, name: string, content: ArtifactContent): true {
  const id = newId(world);
  job.artifacts.push(artifactOf(id, job.run.id, name));
  world.contents.set(id, content);
  return true;
}

function factsStep(world: SimWorld, job: SimRun, luck: Luck): boolean {
  if (job.of.kind !== 'facts') return false;
  if (luck !== 'lost') put(world, job, artifactNames.facts(job.of.plan, job.of.try), { kind: 'facts' });
  return finish(job, luck === 'lost' ? 'failure' : 'success');
}

/** As the worker does it: it starts only when it finds itself bound, and stops when it is told to or belongs to the past. */
function workerStep(world: SimWorld, job: SimRun, id: string, luck: Luck): boolean {
  const attempt = [...world.state.tasks.values()]
    .map((task) => task.attempt)
    .find((entry) => entry?.id === id);
  const gone = attempt == null || attempt.stop !== null;
  const beside = attempt != null && attempt.runId !== null && attempt.runId !== job.run.id;
  if (gone || beside) return finish(job, 'failure');
  if (attempt.runId === null) return false;
  if (!job.started) {
    job.started = true;
    job.run = { ...job.run, status: 'in_progress' };
    world.seen.agentStarts.set(id, (world.seen.agentStarts.get(id) ?? 0) + 1);
    return true;
  }
  if (luck === 'lost') return finish(job, 'failure');
  const trees = job.artifacts.length;
  if (luck === 'failed') return report(world, job, id, 'failed', null);
  if (trees === 0) {
    const worth: TreeWorth = luck === 'red' || luck === 'cancelled' ? 'good' : luck;
    const tree = idOf('tree', id, job.run.id);
    world.trees.set(tree, worth);
    return put(world, job, artifactNames.handover(id, 1), { kind: 'tree', tree, sequence: 1 });
  }
  const first = world.contents.get(job.artifacts[0]!.id);
  return report(world, job, id, 'ready', first?.kind === 'tree' ? first.tree : null);
}

function report(
  world: SimWorld,
  job: SimRun,
  id: string,
  status: 'ready' | 'failed',
  tree: string | null,
): true {
  put(world, job, artifactNames.report(id), { kind: 'report', status, tree });
  return finish(job, 'success');
}

function ciStep(world: SimWorld, luck: Luck): boolean {
  let changed = false;
  for (const [ref, commit] of world.refs) {
    const number = /^refs\/heads\/(ccd\/queue\/\d+)$/.exec(ref)?.[1];
    const standing = world.checks.get(commit) ?? [];
    if (number === undefined || standing.some((check) => check.name === 'ci')) continue;
    const conclusion = luck === 'red' ? 'failure' : luck === 'cancelled' ? 'cancelled' : 'success';
    const check = checkOf(commit, { id: newId(world), conclusion });
    world.checks.set(commit, [...standing, { ...check, run: { ...check.run!, branch: number } }]);
    changed = true;
  }
  return changed;
}

/** GitHub moves the heads of open pull requests with their branches, and sees what landed. */
function pullStep(world: SimWorld): boolean {
  let changed = false;
  for (const pull of world.pulls.values()) {
    if (!pull.open) continue;
    const landed = world.seen.builds.some(
      (build) => build.outcome === 'landed' && build.members.some((member) => member.candidate === pull.head),
    );
    const head = world.refs.get(`refs/heads/${pull.headRef}`) ?? pull.head;
    if (!landed && head === pull.head) continue;
    world.pulls.set(pull.number, landed ? { ...pull, open: false, merged: true } : { ...pull, head });
    changed = true;
  }
  return changed;
}
