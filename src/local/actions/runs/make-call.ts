import type { Scope } from '../expressions/evaluate.ts';
import { renderText, renderTexts, renderValue } from '../expressions/template.ts';
import type { Value } from '../expressions/values.ts';
import type { CallDefinition } from '../workflow/triggers.ts';
import type { JobPlace } from './expand-job.ts';
import { jobScope, runContexts, type ServerUrls, unitContext } from './job-scope.ts';
import { type CallRecord, depthOf, type JobSet, unitsOf } from './job-set.ts';
import type { RunRecord } from './records.ts';

/** Levels of workflows below the run's own file (GitHub: ten in all). */
const MAX_DEPTH = 9;

type InputDefinition = NonNullable<CallDefinition['inputs']>[string];

function typed(name: string, type: InputDefinition['type'], value: Value): Value {
  if (typeof value === type) return value;
  const text = String(value);
  if (type === 'string') return text;
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (type === 'number' && text !== '' && !Number.isNaN(Number(text))) return Number(text);
  throw new Error(`with.${name}: '${text}' is not a ${type}`);
}

const EMPTY: Readonly<Record<InputDefinition['type'], Value>> = { string: '', boolean: false, number: 0 };

/** What a called workflow sees as `inputs`. Throws when something is missing, unknown or of another type. */
function inputsOf(definition: CallDefinition, given: Readonly<Record<string, Value>>, scope: Scope) {
  const declared = definition.inputs ?? {};
  const unknown = Object.keys(given).find((name) => !(name in declared));
  if (unknown !== undefined)
    throw new Error(`Invalid input, ${unknown} is not defined in the referenced workflow.`);
  const entries = Object.entries(declared).map(([name, input]): [string, Value] => {
    const value =
      given[name] ?? (input.default === undefined ? undefined : renderValue(input.default, scope));
    if (value !== undefined) return [name, typed(name, input.type, value)];
    if (input.required) throw new Error(`Input ${name} is required, but not provided while calling.`);
    return [name, EMPTY[input.type]];
  });
  return Object.fromEntries(entries);
}

/** Begins the call of another file of the same commit. Throws when that file does not allow it. */
export function makeCall(
  place: JobPlace,
  draft: { readonly matrix: Value; readonly name: string },
  scope: Scope,
): CallRecord {
  const { run, set, key, body } = place;
  const path = body.uses!.slice('./'.length);
  const reading = run.called.get(path);
  if (reading?.kind !== 'parsed') throw new Error(`${path}: workflow was not found`);
  if (depthOf(set) >= MAX_DEPTH) throw new Error(`${path}: workflows call each other too deep`);
  const { workflow } = reading;
  const definition = workflow.triggers.workflow_call ?? {};
  const given = renderValue(body.with ?? {}, scope) as Readonly<Record<string, Value>>;
  const inputs = inputsOf(definition, given, scope);
  const missing = Object.entries(definition.secrets ?? {}).find(
    ([name, secret]) => secret.required && body.secrets !== 'inherit' && !(name in (body.secrets ?? {})),
  );
  if (missing !== undefined)
    throw new Error(`Secret ${missing[0]} is required, but not provided while calling.`);
  const call = {
    attempt: run.attempt,
    set,
    key,
    body,
    ...draft,
    continueOnError: false,
    status: 'in_progress',
    conclusion: null,
    outputs: {},
  } as const;
  const record: CallRecord = { ...call, inner: undefined as never };
  const inner: JobSet = { file: workflow, inputs, call: record };
  return Object.assign(record, { inner });
}

/** What a call hands back: `on.workflow_call.outputs`, with the called jobs in sight. */
export function callOutputs(run: RunRecord, call: CallRecord, urls: ServerUrls): Record<string, string> {
  const units = unitsOf(run, call.inner);
  const keys = Object.keys(call.inner.file.body.jobs);
  const jobs = Object.fromEntries(keys.map((key) => [key, unitContext(units, key)]));
  const scope = {
    contexts: { ...runContexts(run, urls), inputs: call.inner.inputs, jobs },
    functions: [],
  };
  const outputs = call.inner.file.triggers.workflow_call?.outputs ?? {};
  return Object.fromEntries(
    Object.entries(outputs).map(([name, output]) => [name, renderText(output.value, scope)]),
  );
}

/** The secrets that the jobs of a file see: all, those of the caller, or those that the caller names. */
export function secretsOf(
  run: RunRecord,
  set: JobSet,
  all: Readonly<Record<string, string>>,
  urls: ServerUrls,
): Readonly<Record<string, string>> {
  const { call } = set;
  if (call === null) return all;
  const callers = secretsOf(run, call.set, all, urls);
  if (call.body.secrets === undefined) return {};
  if (call.body.secrets === 'inherit') return callers;
  const scope = jobScope(run, call, urls, call.matrix);
  return renderTexts(call.body.secrets, { ...scope, contexts: { ...scope.contexts, secrets: callers } });
}
