import { renderText, renderValue } from '../expressions/template.ts';
import { isTruthy } from '../expressions/values.ts';
import { groupKey } from './concurrency-groups.ts';
import { groupOptions } from './group-options.ts';
import { runContexts, type ServerUrls } from './job-scope.ts';
import type { RunRecord } from './records.ts';

/** The concurrency group that a run's file asks for, or null. Throws the evaluator's error when it cannot be told. */
export function runGroup(run: RunRecord, urls: ServerUrls) {
  const body = run.file?.body.concurrency;
  if (body === undefined) return null;
  const scope = { contexts: runContexts(run, urls), functions: [] };
  const options = groupOptions(body, (value) => isTruthy(renderValue(value, scope)));
  return { key: groupKey(run.repo, renderText(body.group, scope)), options };
}
