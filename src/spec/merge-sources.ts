import type { z } from 'zod';
import { canonicalJson } from '../domain/digest.ts';
import { type Problem, problem } from '../policy/problem.ts';
import { type FieldName, fieldSchemas, fieldTitles, type RawSpec } from './spec-fields.ts';

/** What one of the two places (headings, YAML block) says about one field. */
export interface FieldStatement {
  readonly field: FieldName;
  readonly value: unknown;
  readonly line: number;
}

export interface MergedFields {
  readonly raw: RawSpec;
  readonly lines: ReadonlyMap<FieldName, number>;
  readonly problems: readonly Problem[];
}

/** Checks every statement and joins both places: YAML wins over headings, and a difference between them is a problem. */
export function mergeSources(
  headings: readonly FieldStatement[],
  yaml: readonly FieldStatement[],
): MergedFields {
  const raw: Record<string, unknown> = {};
  const lines = new Map<FieldName, number>();
  const problems: Problem[] = [];
  for (const statement of [...headings, ...yaml]) {
    const { field, line } = statement;
    const checked = checkField(statement);
    problems.push(...checked.problems);
    if (checked.value === undefined) continue;
    const before = raw[field];
    // Dependencies of all places are joined later: more of them can only make the task wait.
    if (field === 'depends_on' && before !== undefined) {
      raw[field] = [...(before as unknown[]), ...(checked.value as unknown[])];
      continue;
    }
    if (before !== undefined && canonicalJson(before) !== canonicalJson(checked.value)) {
      problems.push(contradiction(field, lines.get(field) ?? null, line));
    }
    raw[field] = checked.value;
    lines.set(field, line);
  }
  return { raw: raw as RawSpec, lines, problems };
}

interface CheckedField {
  /** What is left after refused parts were taken out, so that the rest can be checked too; undefined when nothing is. */
  readonly value: unknown;
  readonly problems: readonly Problem[];
}

function checkField({ field, value, line }: FieldStatement): CheckedField {
  const whole = fieldSchemas[field].safeParse(value);
  if (whole.success) return { value: whole.data, problems: [] };
  const problems = whole.error.issues.map((issue) => problemOf(field, issue, line));
  const rest = fieldSchemas[field].safeParse(withoutParts(value, whole.error.issues));
  return { value: rest.success ? rest.data : undefined, problems };
}

function withoutParts(value: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const blamed = new Set(
    issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys' && issue.path.length === 0
        ? issue.keys
        : issue.path.slice(0, 1).map(String),
    ),
  );
  if (Array.isArray(value)) return value.filter((_entry, index) => !blamed.has(String(index)));
  return Object.fromEntries(Object.entries(value).filter(([key]) => !blamed.has(key)));
}

function contradiction(field: FieldName, headingLine: number | null, line: number): Problem {
  const where = headingLine === null ? '' : ` (line ${headingLine})`;
  return problem(
    field,
    'contradiction',
    `The heading "${fieldTitles[field]}"${where} and the \`ccd\` block say different things: keep one.`,
    line,
  );
}

function problemOf(field: FieldName, issue: z.core.$ZodIssue, line: number): Problem {
  const part = issue.path.length === 0 ? '' : ` (at ${issue.path.map(String).join('.')})`;
  switch (issue.code) {
    case 'invalid_value':
      return problem(
        field,
        'unknown-word',
        `Write one of: ${issue.values.map(String).join(', ')}${part}.`,
        line,
      );
    case 'unrecognized_keys':
      return problem(
        field,
        'unknown-key',
        `Not known here: ${issue.keys.map((key) => key.slice(0, 60)).join(', ')}.`,
        line,
      );
    case 'too_big':
      return problem(
        field,
        issue.origin === 'array' ? 'too-many' : 'too-big',
        `At most ${issue.maximum}${unit(issue.origin)}${part}.`,
        line,
      );
    case 'too_small':
      return problem(field, 'too-small', `${smallest(issue)}${part}.`, line);
    case 'invalid_type':
      return problem(
        field,
        'wrong-type',
        `Write ${typeWords[issue.expected] ?? `a value of type ${issue.expected}`}${part}.`,
        line,
      );
    default:
      return problem(field, 'wrong-type', `This value cannot be read${part}.`, line);
  }
}

const typeWords: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  array: 'a list, one entry per line',
  object: '`key: value` lines',
  tuple: 'a pair: `old path -> new path`',
};

function unit(origin: string): string {
  if (origin === 'string') return ' characters';
  return origin === 'array' ? ' entries' : '';
}

function smallest(issue: z.core.$ZodIssueTooSmall): string {
  if (issue.origin === 'string') return 'An entry is empty';
  return `${issue.inclusive ? 'At least' : 'More than'} ${issue.minimum}${unit(issue.origin)}`;
}
