import type { Store } from '../../store.ts';
import { emitWebhook } from '../../webhooks/emit.ts';
import { presentJob } from '../present/job.ts';
import { presentRun } from '../present/run.ts';
import { presentWorkflow } from '../present/workflow.ts';
import type { RunEngine } from '../runs/run-engine.ts';

/** Sends `workflow_run` and `workflow_job` webhooks as runs and jobs go on. */
export function sendRunWebhooks(store: Store, engine: RunEngine): void {
  engine.events.on('run', ({ run, action }) => {
    const { repo, actor } = run;
    const workflow = presentWorkflow(store.urls, run.workflow);
    const body = { workflow_run: presentRun(store.urls, run), workflow };
    emitWebhook(store, { event: 'workflow_run', action, repo, actor, body });
  });
  engine.events.on('job', ({ job, action }) => {
    const { repo, actor } = job.run;
    const body = { workflow_job: presentJob(store.urls, job) };
    emitWebhook(store, { event: 'workflow_job', action, repo, actor, body });
  });
}
