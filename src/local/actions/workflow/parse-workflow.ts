import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { parse as parseYaml } from 'yaml';
import type { z } from 'zod';
import { type WorkflowBody, workflowSchema } from './schema.ts';
import { readTriggers, type Triggers } from './triggers.ts';
import { tooMuchYaml } from './yaml-bounds.ts';

/** A workflow file that the local runner can execute as it stands. */
export interface Workflow {
  readonly path: string;
  readonly name: string;
  readonly body: WorkflowBody;
  readonly triggers: Triggers;
}

/**
 * What became of reading a workflow file. `invalid`: GitHub itself would refuse it. `unsupported`: GitHub would run
 * it, the local runner does not know everything in it, and `problems` names each part.
 */
export type WorkflowReading =
  | { readonly kind: 'parsed'; readonly workflow: Workflow }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] }
  | {
      readonly kind: 'unsupported';
      readonly name: string;
      readonly triggers: Triggers;
      readonly problems: readonly string[];
    };

/** What a file says under `on`, whether the local runner can execute the rest or not. */
export function triggersOf(reading: Exclude<WorkflowReading, { kind: 'invalid' }>): Triggers {
  return reading.kind === 'parsed' ? reading.workflow.triggers : reading.triggers;
}

/** GitHub's own complaints about a file: first the schema's, then those of the conversion (cycles, unknown needs). */
async function officialProblems(path: string, text: string): Promise<string[]> {
  const { context, value } = parseWorkflow({ name: path, content: text }, new NoOperationTraceWriter());
  if (value !== undefined && context.errors.count === 0) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map((error) => error.message);
}

/** A queue that is kept and what runs in it cancelled exclude each other: GitHub refuses the file, its grammar here does not. */
function concurrencyProblems(body: WorkflowBody): string[] {
  const places = [
    ['concurrency', body.concurrency] as const,
    ...Object.entries(body.jobs).map(([key, job]) => [`jobs.${key}.concurrency`, job.concurrency] as const),
  ];
  return places
    .filter(
      ([, at]) =>
        at !== undefined && 'queue' in at && at.queue === 'max' && at['cancel-in-progress'] === true,
    )
    .map(([place]) => `${place}: \`queue: max\` cannot be combined with \`cancel-in-progress: true\``);
}

function unsupportedPart(path: string, issue: z.core.$ZodIssue): string {
  const place = issue.path.map(String).join('.');
  if (issue.message.startsWith('not supported')) return `${path}: ${place}: ${issue.message}`;
  if (issue.code !== 'unrecognized_keys') {
    return `${path}: ${place || 'the file'}: the local runner cannot read this (${issue.message})`;
  }
  const keys = issue.keys.map((key) => (place === '' ? key : `${place}.${key}`)).join(', ');
  return `${path}: ${keys}: not supported by the local runner`;
}

/** Reads one workflow file: GitHub's own grammar first, then the subset that the local runner executes. */
export async function readWorkflow(path: string, text: string): Promise<WorkflowReading> {
  const excess = tooMuchYaml(text);
  if (excess !== null) return { kind: 'invalid', problems: [excess] };
  const problems = await officialProblems(path, text);
  if (problems.length > 0) return { kind: 'invalid', problems };
  // The converter drops `with` and keeps the indentation of block texts: values are read from the YAML itself.
  const raw = parseYaml(text, { merge: true }) as { readonly on?: unknown; readonly name?: unknown };
  const triggers = readTriggers(raw.on);
  const name = typeof raw.name === 'string' ? raw.name : path;
  const body = workflowSchema.safeParse(raw);
  if (body.success) {
    const disputes = concurrencyProblems(body.data);
    if (disputes.length > 0) return { kind: 'invalid', problems: disputes };
    return { kind: 'parsed', workflow: { path, name, body: body.data, triggers } };
  }
  return {
    kind: 'unsupported',
    name,
    triggers,
    problems: body.error.issues.map((issue) => unsupportedPart(path, issue)),
  };
}
