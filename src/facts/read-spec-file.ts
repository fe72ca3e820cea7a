import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { CcdError } from '../domain/errors.ts';
import { allowSchema, type TaskSpec, taskKindSchema, taskSpecSchema } from '../domain/spec.ts';
import type { Policy } from '../policy/policy.ts';
import { parseSpec } from '../spec/parse-spec.ts';

const names = z.array(z.string().min(1)).default([]);

/** The keys of a guard-corpus spec; what else stands there is not for the guard. */
const jsonSpecSchema = z.object({
  kind: taskKindSchema,
  objective: z.string().min(1).default('(not said)'),
  allowed_paths: names,
  target_tests: names,
  expect_changes: names,
  setup: z.string().min(1).nullable().default(null),
  test_command: z.string().min(1).nullable().default(null),
  max_prod_lines: z.number().int().min(0).optional(),
  allow: allowSchema.prefault({}),
});

/**
 * Reads a spec from a file: an issue body in Markdown, or with the ending `.json` the keys of a guard-corpus spec (also inside
 * a whole case). Throws CcdError `guard.spec` when it cannot be read or is not valid.
 */
export async function readSpecFile(path: string, policy: Policy): Promise<TaskSpec> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw refused(
      `The spec ${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`,
    );
  });
  return path.endsWith('.json') ? fromJson(path, text, policy) : fromMarkdown(path, text, policy);
}

function fromMarkdown(path: string, text: string, policy: Policy): TaskSpec {
  const parsed = parseSpec(text, policy);
  if (parsed.kind === 'valid') return parsed.spec;
  const problems = parsed.problems.map(({ message, line }) =>
    line === null ? message : `${message} (line ${line})`,
  );
  throw refused(`The spec ${path} is not valid: ${problems.join(' ')}`);
}

function fromJson(path: string, text: string, policy: Policy): TaskSpec {
  const document = parseJson(path, text);
  const inner = z.object({ spec: z.unknown() }).safeParse(document);
  const parsed = jsonSpecSchema.safeParse(
    inner.success && inner.data.spec !== undefined ? inner.data.spec : document,
  );
  if (!parsed.success) throw refused(`The spec ${path} is not valid: ${z.prettifyError(parsed.error)}`);
  const { data } = parsed;
  return taskSpecSchema.parse({
    kind: data.kind,
    objective: data.objective,
    acceptanceCriteria: [],
    allowedPaths: data.allowed_paths,
    targetTests: data.target_tests,
    expectChanges: data.expect_changes,
    setup: data.setup ?? policy.task.setup,
    testCommand: data.test_command ?? policy.task.test_command,
    verify: [],
    maxProdLines: data.max_prod_lines ?? policy.task.max_prod_lines,
    allow: data.allow,
    profiles: policy.profiles,
    budget: { maxUsd: 1, maxTurns: 1, maxTries: 1, wallClockMinutes: 1 },
    priority: 5,
    dependsOn: [],
  });
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refused(`The spec ${path} is not JSON.`);
  }
}

function refused(message: string): CcdError {
  return new CcdError({
    code: 'guard.spec',
    message,
    remedy: 'See `ccd spec <file>` for how a spec is read.',
    audience: 'author',
  });
}
