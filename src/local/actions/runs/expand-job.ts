import { nodeId } from '../../node-id.ts';
import type { Store } from '../../store.ts';
import { evaluateCondition } from '../expressions/condition.ts';
import type { Scope } from '../expressions/evaluate.ts';
import { renderText, renderValue } from '../expressions/template.ts';
import { isTruthy, type Value } from '../expressions/values.ts';
import type { JobBody } from '../workflow/schema.ts';
import { jobScope, type ServerUrls } from './job-scope.ts';
import { expandMatrix, matrixJobName } from './matrix.ts';
import type { Conclusion, JobRecord, RunRecord } from './records.ts';
import { tokenPermissions } from './token-permissions.ts';

/** Labels of GitHub's own machines that nothing here can stand in for. */
const FOREIGN_LABEL = /^(windows|macos)-/;

interface Draft {
  readonly matrix: Value;
  readonly index: number;
  readonly total: number;
}

function labelsOf(body: JobBody, scope: Scope): string[] {
  const wanted = body['runs-on'];
  const source = typeof wanted === 'object' && 'labels' in wanted ? wanted.labels : wanted;
  const labels = renderValue(source as Value, scope);
  return (Array.isArray(labels) ? labels : [labels]).map(String);
}

function combinationsOf(body: JobBody, scope: Scope): readonly Value[] {
  const source = body.strategy?.matrix;
  if (source === undefined) return [{}];
  return expandMatrix(renderValue(source as Value, scope));
}

/** What the job record holds before anything is known about its fate. */
function blankJob(store: Store, run: RunRecord, key: string, body: JobBody, name: string): JobRecord {
  const id = store.nextId('workflowJob');
  return {
    id,
    marker: store.randomHex(8),
    nodeId: nodeId('CR', id),
    run,
    attempt: run.attempt,
    key,
    body,
    matrix: {},
    index: 0,
    total: 1,
    name,
    labels: [],
    permissions: tokenPermissions(run.file?.body.permissions, body.permissions),
    continueOnError: false,
    maxParallel: Number.POSITIVE_INFINITY,
    createdAt: store.now(),
    status: 'queued',
    conclusion: null,
    startedAt: null,
    completedAt: null,
    runnerId: null,
    runnerName: null,
    steps: [],
    outputs: {},
    log: [],
    annotations: [],
    summary: '',
    concurrencyGroup: null,
    checkRun: null,
  };
}

function settled(job: JobRecord, conclusion: Conclusion, now: number, problem?: string): JobRecord {
  if (problem !== undefined) {
    job.annotations.push(failureAnnotation(problem));
    job.log.push(`##[error]${problem}`);
  }
  return Object.assign(job, { status: 'completed', conclusion, startedAt: now, completedAt: now });
}

/** An annotation that stands at no line of the change, as the service writes them. */
export function failureAnnotation(message: string): JobRecord['annotations'][number] {
  return { path: '.github', start_line: 1, end_line: 1, annotation_level: 'failure', message };
}

function expandOne(
  store: Store,
  run: RunRecord,
  key: string,
  body: JobBody,
  draft: Draft,
  urls: ServerUrls,
): JobRecord {
  const { matrix, index, total } = draft;
  const limit = body.strategy?.['max-parallel'];
  const strategy = { 'fail-fast': failFast(body), 'job-index': index, 'job-total': total };
  const scope = jobScope(run, key, urls, matrix, strategy);
  const name = body.name == null ? matrixJobName(key, matrix) : renderText(body.name, scope);
  const job: JobRecord = {
    ...blankJob(store, run, key, body, name),
    matrix,
    index,
    total,
    labels: labelsOf(body, scope),
    continueOnError: isTruthy(renderValue(body['continue-on-error'] ?? false, scope)),
    maxParallel: limit == null ? Number.POSITIVE_INFINITY : Number(renderText(limit, scope)),
    concurrencyGroup: body.concurrency === undefined ? null : renderText(body.concurrency.group, scope),
  };
  const foreign = job.labels.find((label) => FOREIGN_LABEL.test(label));
  if (foreign === undefined) return job;
  return settled(job, 'failure', store.now(), `runs-on: ${foreign}: the local runner has no such machine`);
}

/** Whether a failing job of the matrix ends its siblings: yes unless the file says no. */
export function failFast(body: JobBody): boolean {
  return body.strategy?.['fail-fast'] !== false && body.strategy?.['fail-fast'] !== 'false';
}

/**
 * Turns a job of the file whose needs are all settled into its job records: skipped when its `if` says so, one per
 * matrix combination otherwise. An expression that cannot be evaluated gives one failed job with the reason.
 */
export function expandJob(
  store: Store,
  run: RunRecord,
  key: string,
  body: JobBody,
  urls: ServerUrls,
): JobRecord[] {
  const now = store.now();
  const plainName = typeof body.name === 'string' && !body.name.includes('${{') ? body.name : key;
  try {
    const scope = jobScope(run, key, urls);
    if (!evaluateCondition(body.if, scope)) {
      return [settled(blankJob(store, run, key, body, plainName), 'skipped', now)];
    }
    const combinations = combinationsOf(body, scope);
    if (combinations.length === 0) throw new Error('Matrix vector does not contain any values');
    const total = combinations.length;
    return combinations.map((matrix, index) =>
      expandOne(store, run, key, body, { matrix, index, total }, urls),
    );
  } catch (error) {
    const problem = `${run.workflow.path}: job ${key}: ${(error as Error).message}`;
    return [settled(blankJob(store, run, key, body, plainName), 'failure', now, problem)];
  }
}
