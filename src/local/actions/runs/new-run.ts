import { z } from 'zod';
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
  /** Files that the jobs may call, by path; none unless given. */
  readonly called?: ReadonlyMap<string, WorkflowReading>;
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
  const called = options.called ?? new Map<string, WorkflowReading>();
  const broken = reading.kind === 'parsed' ? calledProblems(called) : [];
  const file = reading.kind === 'parsed' && broken.length === 0 ? reading.workflow : null;
  const run: RunRecord = {
    id,
    nodeId: nodeId('WFR', id),
    repo: options.repo,
    workflow,
    file,
    own: file === null ? null : { file, inputs: cause.inputs, call: null },
    called,
    unsupported: reading.kind !== 'invalid' && file === null,
    problems: reading.kind === 'parsed' ? broken : reading.problems,
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
    calls: [],
    past: [],
  };
  run.displayTitle = titleOf(run, urls);
  return run;
}

/** What is wrong with the files that a run calls: a run starts only when all of them can be executed. */
function calledProblems(called: ReadonlyMap<string, WorkflowReading>): string[] {
  return [...called].flatMap(([path, reading]) => {
    if (reading.kind !== 'parsed') return reading.problems;
    const { triggers, body } = reading.workflow;
    if (triggers.workflow_call === undefined)
      return [`${path}: workflow is not reusable as it is missing a \`on.workflow_call\` trigger`];
    return body.concurrency === undefined
      ? []
      : [`${path}: concurrency: not supported by the local runner in a called workflow`];
  });
}

function titleOf(run: RunRecord, urls: ServerUrls): string {
  const template = run.file?.body['run-name'];
  const fallback = subjectOf(run);
  if (template == null || template === '') return fallback;
  try {
    return renderText(template, { contexts: runContexts(run, urls), functions: [] });
  } catch {
    // GitHub keeps the event's own title when the expression cannot be evaluated.
    return fallback;
  }
}

/** What a run is called without `run-name`: what the event is about, as far as it has a title. */
function subjectOf(run: RunRecord): string {
  const titled = z.object({ title: z.string() }).optional();
  const shape = z.object({ pull_request: titled, issue: titled, action: z.string().optional() });
  const payload = shape.safeParse(run.cause.payload).data;
  switch (run.cause.event) {
    case 'push':
      return run.cause.headCommit.message.split('\n')[0] ?? run.workflow.name;
    case 'repository_dispatch':
      return payload?.action ?? run.workflow.name;
    default:
      return payload?.pull_request?.title ?? payload?.issue?.title ?? run.workflow.name;
  }
}
