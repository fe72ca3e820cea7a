import { ACTIONS_APP_ID } from '../../authenticate.ts';
import { nodeId } from '../../node-id.ts';
import { presentCheckRun, presentSuiteSimple } from '../../present/check.ts';
import type { Actor } from '../../principal.ts';
import type { CheckRun, CheckSuite } from '../../records/check.ts';
import type { Repo } from '../../records/repository.ts';
import type { Store } from '../../store.ts';
import { emitWebhook } from '../../webhooks/emit.ts';
import type { JobRecord } from '../runs/records.ts';
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

/** Keeps one check run per job under the Actions app, on the run's head commit. */
export function reportChecks(store: Store, engine: RunEngine): void {
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
