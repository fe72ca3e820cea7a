import { ACTIONS_APP_ID } from '../../authenticate.ts';
import { nodeId } from '../../node-id.ts';
import { presentCheckRun, presentSuiteSimple } from '../../present/check.ts';
import type { Actor } from '../../principal.ts';
import type { CheckRun, CheckSuite } from '../../records/check.ts';
import type { Repo } from '../../records/repository.ts';
import type { Store } from '../../store.ts';
import { emitWebhook } from '../../webhooks/emit.ts';
import { failureAnnotation } from '../runs/blank-job.ts';
import type { JobRecord, RunRecord } from '../runs/records.ts';
import type { RunEngine } from '../runs/run-engine.ts';

/** The check suite of one run: GitHub opens one for each, under the Actions app. */
export function newActionsSuite(
  store: Store,
  repo: Repo,
  headSha: string,
  headBranch: string | null,
): CheckSuite {
  const id = store.nextId('checkSuite');
  const now = store.now();
  const app = store.apps.get(ACTIONS_APP_ID)!;
  const suite: CheckSuite = {
    id,
    nodeId: nodeId('CS', id),
    app,
    headSha,
    headBranch,
    createdAt: now,
    updatedAt: now,
  };
  repo.checkSuites.push(suite);
  return suite;
}

/** Who stands behind what Actions itself writes. */
export function actionsActor(store: Store): Actor {
  const app = store.apps.get(ACTIONS_APP_ID)!;
  return { user: app.bot, app, via: 'job' };
}

/** A check that says why a run could not be executed here: GitHub would have run it, so nothing may pass it over. */
function reportRefusal(store: Store, run: RunRecord): void {
  const { repo, checkSuite: suite, workflow, problems } = run;
  if (suite === null) return;
  const id = store.nextId('checkRun');
  const now = store.now();
  const check: CheckRun = {
    id,
    nodeId: nodeId('CR', id),
    suite,
    app: suite.app,
    name: workflow.path,
    headSha: run.cause.headSha,
    status: 'completed',
    conclusion: 'failure',
    detailsUrl: `${store.urls.repoHtml(repo)}/actions/runs/${run.id}`,
    externalId: String(run.id),
    startedAt: now,
    completedAt: now,
    createdAt: now,
    output: {
      title: 'The local runner cannot execute this workflow',
      summary: problems.join('\n'),
      text: null,
    },
    annotations: problems.map((problem) => ({ ...failureAnnotation(problem), path: workflow.path })),
  };
  repo.checkRuns.push(check);
  tell(store, repo, check, 'created');
  tell(store, repo, check, 'completed');
}

function newCheckRun(store: Store, job: JobRecord, suite: CheckSuite): CheckRun {
  const { repo } = job.run;
  const check: CheckRun = {
    // On GitHub a job and its check run have one id.
    id: job.id,
    nodeId: nodeId('CR', job.id),
    suite,
    app: suite.app,
    name: job.name,
    headSha: job.run.cause.headSha,
    status: 'queued',
    conclusion: null,
    detailsUrl: `${store.urls.repoHtml(repo)}/actions/runs/${job.run.id}/job/${job.id}`,
    externalId: `${job.run.id}-${job.id}`,
    startedAt: null,
    completedAt: null,
    createdAt: store.now(),
    output: { title: null, summary: null, text: null },
    annotations: job.annotations,
  };
  repo.checkRuns.push(check);
  return check;
}

function tell(store: Store, repo: Repo, check: CheckRun, action: string): void {
  store.events.emit('checkRun', { repo, checkRun: check, action });
  const body = {
    check_run: {
      ...presentCheckRun(store.urls, repo, check),
      check_suite: presentSuiteSimple(store.urls, repo, check.suite),
    },
  };
  emitWebhook(store, { event: 'check_run', action, repo, actor: actionsActor(store), body });
}

/** Keeps one check run per job under the Actions app, on the run's head commit; one for a run that cannot be executed. */
export function reportChecks(store: Store, engine: RunEngine): void {
  engine.events.on('run', ({ run, action }) => {
    if (action === 'completed' && run.unsupported) reportRefusal(store, run);
  });
  engine.events.on('job', ({ job, action }) => {
    const { checkSuite, repo } = job.run;
    if (checkSuite === null) return;
    const isNew = job.checkRun === null;
    job.checkRun ??= newCheckRun(store, job, checkSuite);
    const check = job.checkRun;
    check.status = job.status === 'waiting' ? 'pending' : job.status;
    check.conclusion = job.conclusion;
    check.startedAt = job.startedAt ?? check.createdAt;
    check.completedAt = job.completedAt;
    checkSuite.updatedAt = store.now();
    if (isNew) tell(store, repo, check, 'created');
    if (action === 'completed') tell(store, repo, check, 'completed');
  });
}
