import { nodeId } from '../../node-id.ts';
import type { Actor } from '../../principal.ts';
import type { CheckSuite } from '../../records/check.ts';
import type { Repo } from '../../records/repository.ts';
import type { Store } from '../../store.ts';
import { renderText } from '../expressions/template.ts';
import type { WorkflowReading } from '../workflow/parse-workflow.ts';
import { runContexts, type ServerUrls } from './job-scope.ts';
import type { RunCause, RunRecord, WorkflowRecord } from './records.ts';

export interface NewRun {
  readonly repo: Repo;
  readonly path: string;
  readonly reading: WorkflowReading;
  readonly cause: RunCause;
  readonly actor: Actor;
  readonly checkSuite: CheckSuite | null;
}

/** The name a workflow goes by: its own, or its path. */
export function workflowName(path: string, reading: WorkflowReading): string {
  if (reading.kind === 'parsed') return reading.workflow.name;
  return reading.kind === 'unsupported' ? reading.name : path;
}

/** The record of a run that begins, with its number and title. */
export function newRun(store: Store, workflow: WorkflowRecord, options: NewRun, urls: ServerUrls): RunRecord {
  const { reading, cause, actor } = options;
  workflow.runs += 1;
  const id = store.nextId('workflowRun');
  const now = store.now();
  const run: RunRecord = {
    id,
    nodeId: nodeId('WFR', id),
    repo: options.repo,
    workflow,
    file: reading.kind === 'parsed' ? reading.workflow : null,
    problems: reading.kind === 'parsed' ? [] : reading.problems,
    cause,
    actor,
    triggeringActor: actor.user,
    runNumber: workflow.runs,
    attempt: 1,
    status: 'queued',
    conclusion: null,
    displayTitle: '',
    createdAt: now,
    updatedAt: now,
    startedAt: now,
    cancelRequested: false,
    checkSuite: options.checkSuite,
    concurrencyGroup: null,
    jobs: [],
  };
  run.displayTitle = titleOf(run, urls);
  return run;
}

function titleOf(run: RunRecord, urls: ServerUrls): string {
  const template = run.file?.body['run-name'];
  const fallback = run.cause.event === 'workflow_dispatch' ? run.workflow.name : subjectOf(run);
  if (template == null || template === '') return fallback;
  try {
    return renderText(template, { contexts: runContexts(run, urls), functions: [] });
  } catch {
    // GitHub keeps the event's own title when the expression cannot be evaluated.
    return fallback;
  }
}

/** The pull request's title, or the first line of the head commit's message. */
function subjectOf(run: RunRecord): string {
  const payload = run.cause.payload as { readonly pull_request?: { readonly title?: string } };
  return payload.pull_request?.title ?? run.cause.headCommit.message.split('\n')[0] ?? run.workflow.name;
}
