import type { Store } from '../../store.ts';
import { evaluateCondition } from '../expressions/condition.ts';
import type { Scope } from '../expressions/evaluate.ts';
import { renderText, renderValue } from '../expressions/template.ts';
import { isTruthy, type Value } from '../expressions/values.ts';
import type { JobBody } from '../workflow/schema.ts';
import { blankJob, settled } from './blank-job.ts';
import { jobScope, type ServerUrls } from './job-scope.ts';
import { type JobSet, namePrefix, type Unit } from './job-set.ts';
import { makeCall } from './make-call.ts';
import { expandMatrix, matrixJobName } from './matrix.ts';
import type { JobRecord, RunRecord } from './records.ts';

/** Labels of GitHub's own machines that nothing here can stand in for. */
const FOREIGN_LABEL = /^(windows|macos)-/;

interface Draft {
  readonly matrix: Value;
  readonly index: number;
  readonly total: number;
}

/** The place of a job: whose run, which file, which key. */
export interface JobPlace {
  readonly run: RunRecord;
  readonly set: JobSet;
  readonly key: string;
  readonly body: JobBody;
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

function expandOne(store: Store, place: JobPlace, draft: Draft, urls: ServerUrls): Unit {
  const { run, set, key, body } = place;
  const { matrix, index, total } = draft;
  const limit = body.strategy?.['max-parallel'];
  const strategy = { 'fail-fast': failFast(body), 'job-index': index, 'job-total': total };
  const scope = jobScope(run, place, urls, matrix, strategy);
  const name = body.name == null ? matrixJobName(key, matrix) : renderText(body.name, scope);
  if (body.uses !== undefined) return makeCall(place, { matrix, name }, scope);
  const job: JobRecord = {
    ...blankJob(store, place, namePrefix(set) + name),
    matrix,
    index,
    total,
    labels: labelsOf(body, scope),
    continueOnError: isTruthy(renderValue(body['continue-on-error'] ?? false, scope)),
    maxParallel: limit == null ? Number.POSITIVE_INFINITY : Number(renderText(limit, scope)),
    concurrencyGroup: body.concurrency === undefined ? null : renderText(body.concurrency.group, scope),
    environment: body.environment === undefined ? null : renderText(body.environment, scope) || null,
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
 * Turns a job of the file whose needs are all settled into its records: skipped when its `if` says so, one job (or
 * call of another file) per matrix combination otherwise. An expression that cannot be evaluated, or a call that the
 * called file does not allow, gives one failed job with the reason.
 */
export function expandJob(store: Store, place: JobPlace, urls: ServerUrls): Unit[] {
  const { run, set, key, body } = place;
  const now = store.now();
  const ownName = typeof body.name === 'string' && !body.name.includes('${{') ? body.name : key;
  const plainName = namePrefix(set) + ownName;
  try {
    const scope = jobScope(run, place, urls);
    if (!evaluateCondition(body.if, scope)) {
      return [settled(blankJob(store, place, plainName), 'skipped', now)];
    }
    const combinations = combinationsOf(body, scope);
    if (combinations.length === 0) throw new Error('Matrix vector does not contain any values');
    const total = combinations.length;
    return combinations.map((matrix, index) => expandOne(store, place, { matrix, index, total }, urls));
  } catch (error) {
    const problem = `${set.file.path}: job ${key}: ${(error as Error).message}`;
    return [settled(blankJob(store, place, plainName), 'failure', now, problem)];
  }
}
