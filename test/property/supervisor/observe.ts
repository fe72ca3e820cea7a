import { digestValue } from '../../../src/domain/digest.ts';
import type { ObservedIssue, ObservedRun, Snapshot } from '../../../src/domain/snapshot.ts';
import type { TaskState } from '../../../src/domain/state.ts';
import { factsRunTitle } from '../../../src/supervisor/facts-job.ts';
import { intentKeys } from '../../../src/supervisor/intend.ts';
import { dispatchLabel } from '../../../src/text/labels.ts';
import { appId, botId, readerOf, takeoverMs } from '../../support/snapshots.ts';
import { policy, type SimWorld } from './world.ts';

const parse = readerOf(policy);
const parsed = new Map<string, ReturnType<typeof parse>>();

/** The real parser, each text once. */
export function readSpec(issue: ObservedIssue): ReturnType<typeof parse> {
  const known = parsed.get(issue.bodyDigest) ?? parse(issue);
  parsed.set(issue.bodyDigest, known);
  return known;
}

/** What one pass reads: as much as the real observation, and nothing that it does not look for. */
export function observeWorld(world: SimWorld, instance: string): Snapshot {
  const { state } = world;
  const numbers = interesting(world);
  const tasks = new Map([...state.tasks].filter(([number]) => numbers.has(number)));
  const active = [...tasks.values()].filter((task) => !task.settled);
  const build = state.queue.build?.commit ?? null;
  return structuredClone({
    now: world.now,
    instance,
    takeoverMs,
    repository: { id: 5, owner: 'acme', name: 'shop', trunk: 'main', botId, appId },
    refs: world.refs,
    stateHead: String(world.stateHead).padStart(40, '0'),
    state: { ...state, tasks, builds: new Map() },
    trunk: { oid: world.refs.get('refs/heads/main')!, tree: world.trunkTree },
    trunkChain: [],
    policyDigest: digestValue('policy'),
    issues: new Map(
      [...world.issues]
        .filter(([number]) => numbers.has(number))
        .map(([number, issue]) => [number, seenIssue(issue, tasks.get(number))]),
    ),
    ...seenPulls(world, active),
    ownChecks: seenOwnChecks(world, active),
    commands: [],
    ...seenRuns(world, active),
    checks: new Map(build === null ? [] : [[build, world.checks.get(build) ?? []]]),
    comments: seenComments(world, active),
    doubledComments: [],
    goneComments: new Set(),
    answered: new Set(),
    alarms: [],
  }) as Snapshot;
}

/** Active tasks, issues with the label, and what these depend on. */
function interesting(world: SimWorld): Set<number> {
  const numbers = new Set(
    [...world.state.tasks.values()].filter((task) => !task.settled).map((task) => task.issue),
  );
  for (const issue of world.issues.values()) {
    if (issue.open && issue.labels.includes(dispatchLabel)) numbers.add(issue.number);
  }
  for (const number of [...numbers]) {
    const issue = world.issues.get(number);
    const read = issue === undefined ? null : readSpec(issue);
    if (read?.kind === 'valid') for (const dependency of read.spec.dependsOn) numbers.add(dependency);
  }
  return numbers;
}

/** Events are read only where there may be new ones. */
function seenIssue(issue: ObservedIssue, task: TaskState | undefined): ObservedIssue {
  const fresh = issue.requests.some((event) => !task?.consumedEvents.includes(event.eventId));
  return fresh ? issue : { ...issue, requests: [] };
}

function seenPulls(world: SimWorld, active: readonly TaskState[]) {
  const pulls = new Map<number, unknown>();
  const pullsByHead = new Map<number, unknown>();
  for (const task of active) {
    const known = task.pull === null ? undefined : world.pulls.get(task.pull.number);
    if (known !== undefined) pulls.set(known.number, known);
    if (task.pull !== null || !isIntended(world, intentKeys.pull(task.issue))) continue;
    const found = [...world.pulls.values()].find(
      (pull) => pull.open && pull.headRef === `ccd/task/${task.issue}`,
    );
    if (found === undefined) continue;
    pulls.set(found.number, found);
    pullsByHead.set(task.issue, found);
  }
  return { pulls, pullsByHead };
}

function seenOwnChecks(world: SimWorld, active: readonly TaskState[]) {
  const commits = active.flatMap((task) => {
    const commit = task.refused?.commit ?? task.candidate?.oid;
    return commit === undefined ? [] : [commit];
  });
  return new Map(
    commits.map((commit) => [
      commit,
      (world.checks.get(commit) ?? []).filter((check) => check.name === 'ccd / guard'),
    ]),
  );
}

function seenComments(world: SimWorld, active: readonly TaskState[]) {
  const looked = active.filter(
    (task) => task.statusComment !== null || isIntended(world, intentKeys.statusComment(task.issue)),
  );
  return new Map(
    looked.flatMap((task) => {
      const found = world.comments.find(
        (comment) =>
          comment.number === task.issue && (task.statusComment === null || comment.id === task.statusComment),
      );
      return found === undefined ? [] : [[task.issue, found] as const];
    }),
  );
}

function seenRuns(world: SimWorld, active: readonly TaskState[]) {
  const runs = new Map<number, ObservedRun>();
  const runsByTitle = new Map<string, ObservedRun[]>();
  const artifacts = new Map<number, unknown>();
  const all = [...world.runs.values()];
  const list = (id: number) => artifacts.set(id, world.runs.get(id)?.artifacts ?? []);
  const read = (id: number) => {
    const found = world.runs.get(id);
    if (found !== undefined) runs.set(id, found.run);
    list(id);
  };
  const facts = active.flatMap((task) =>
    task.facts !== null && task.phase === 'guarding' ? [task.facts] : [],
  );
  const ofBuild = world.state.queue.build?.facts;
  for (const job of ofBuild == null ? facts : [...facts, ofBuild]) {
    const title = factsRunTitle(job.planDigest, job.try);
    if (job.runId !== null) read(job.runId);
    else if (job.dispatchedAt !== null)
      runsByTitle.set(
        title,
        all.map(({ run }) => run).filter((run) => run.title === title),
      );
  }
  for (const task of active) {
    for (const record of task.records.slice(-2))
      if (record.runId !== null && record.attempt !== task.attempt?.id) list(record.runId);
    const { attempt } = task;
    if (attempt === null || attempt.ended) continue;
    if (attempt.dispatches > 0 && (attempt.runId === null || attempt.dispatches > 1)) {
      runsByTitle.set(
        attempt.id,
        all.map(({ run }) => run).filter((run) => run.title.includes(` ${attempt.id} `)),
      );
    }
    if (attempt.runId !== null) read(attempt.runId);
  }
  return { runs, runsByTitle, artifacts };
}

function isIntended(world: SimWorld, key: string): boolean {
  return world.state.repository.intents[key] !== undefined;
}
