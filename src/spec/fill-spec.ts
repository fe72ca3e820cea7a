import { type Allow, allowSchema, type TaskBudget, type TaskSpec } from '../domain/spec.ts';
import type { Policy } from '../policy/policy.ts';
import { type Problem, problem } from '../policy/problem.ts';
import { type IssueReference, readIssueReference } from './dependency-lines.ts';
import type { MergedFields } from './merge-sources.ts';
import { type PathReading, readPathPattern, readTestId } from './paths.ts';
import { type FieldName, fieldTitles, type RawSpec } from './spec-fields.ts';

/** What the parser knows about where the text stands; all optional, for texts that stand nowhere. */
export interface SpecContext {
  /** `owner/name` of the repository. */
  readonly repository?: string;
  readonly issue?: number;
}

export interface FilledSpec {
  readonly partial: Partial<TaskSpec>;
  readonly problems: readonly Problem[];
  readonly notes: readonly string[];
}

/** Applies the rules that go beyond a field's shape (paths, kind, policy's bounds) and fills in policy's defaults. */
export function fillSpec(fields: MergedFields, policy: Policy, context: SpecContext): FilledSpec {
  const filling = new Filling(fields, context);
  const { raw } = fields;
  const partial = {
    ...filling.required('kind', raw.kind, 'say what kind of change this is'),
    ...filling.required('objective', raw.objective, 'say in prose what should change'),
    acceptanceCriteria: raw.acceptance_criteria ?? [],
    allowedPaths: filling.paths('allowed_paths', raw.allowed_paths ?? [], readPathPattern),
    targetTests: filling.paths('target_tests', raw.target_tests ?? [], readTestId),
    expectChanges: filling.paths('expect_changes', raw.expect_changes ?? [], readTestId),
    setup: raw.setup ?? policy.task.setup,
    testCommand: raw.test_command ?? policy.task.test_command,
    verify: raw.verify ?? policy.task.verify,
    maxProdLines: filling.bounded(
      'max_prod_lines',
      raw.max_prod_lines,
      policy.task.max_prod_lines,
      policy.caps.prod_lines,
    ),
    allow: filling.allow(raw.allow ?? {}),
    profiles: [...new Set(raw.profiles ?? policy.profiles)].sort(),
    budget: filling.budget(raw.budget ?? {}, policy),
    priority: raw.priority ?? 5,
    dependsOn: filling.dependencies(raw.depends_on ?? []),
  } satisfies Partial<TaskSpec>;
  filling.checkKind(partial);
  return { partial, problems: filling.problems, notes: filling.notes };
}

class Filling {
  readonly problems: Problem[] = [];
  readonly notes: string[] = [];
  private readonly fields: MergedFields;
  private readonly context: SpecContext;

  constructor(fields: MergedFields, context: SpecContext) {
    this.fields = fields;
    this.context = context;
  }

  private refuse(field: FieldName, code: string, message: string): void {
    this.problems.push(problem(field, code, message, this.fields.lines.get(field) ?? null));
  }

  /** A field that is absent because what stood there was refused has its problem already. */
  private missing(field: FieldName, what: string): void {
    if ([...this.fields.problems, ...this.problems].some((known) => known.field === field)) return;
    this.refuse(field, 'missing', `"${fieldTitles[field]}" is missing: ${what}.`);
  }

  required<K extends 'kind' | 'objective'>(
    field: K,
    value: RawSpec[K],
    what: string,
  ): { [P in K]?: NonNullable<RawSpec[K]> } {
    if (value === undefined) {
      this.missing(field, what);
      return {};
    }
    return { [field]: value } as { [P in K]?: NonNullable<RawSpec[K]> };
  }

  paths(field: FieldName, entries: readonly string[], read: (text: string) => PathReading): string[] {
    const paths = entries.flatMap((entry) => {
      const reading = read(entry);
      if (reading.kind === 'path') return [reading.path];
      this.refuse(
        field,
        'not-a-path',
        `${JSON.stringify(entry.slice(0, 120))} cannot be used: ${reading.reason}.`,
      );
      return [];
    });
    return [...new Set(paths)];
  }

  bounded(field: 'max_prod_lines', value: number | undefined, usual: number, most: number): number {
    if (value !== undefined && value > most) {
      this.refuse(
        field,
        'above-policy',
        `${value} is above policy's bound of ${most}: make the task smaller.`,
      );
    }
    return Math.min(value ?? usual, most);
  }

  allow(raw: NonNullable<RawSpec['allow']>): Allow {
    const { rename, ...lists } = raw;
    const read = (entry: string) => this.paths('allow', [entry], readPathPattern);
    const allow = Object.entries(lists).map(([key, entries]) => [key, (entries ?? []).flatMap(read)]);
    const pairs = (rename ?? []).map((pair) => pair.flatMap(read)).filter((pair) => pair.length === 2);
    return allowSchema.parse({ ...Object.fromEntries(allow), rename: pairs });
  }

  budget(raw: NonNullable<RawSpec['budget']>, policy: Policy): TaskBudget {
    const bound = (key: keyof typeof raw, most: number): number => {
      const value = raw[key];
      if (value !== undefined && value > most) {
        this.refuse(
          'budget',
          'above-policy',
          `${key} ${value} is above policy's ${most}: a task can only narrow it.`,
        );
      }
      return Math.min(value ?? most, most);
    };
    return {
      maxUsd: bound('max_usd', policy.agent.max_usd),
      maxTurns: bound('max_turns', policy.agent.max_turns),
      maxTries: bound('max_tries', policy.agent.max_tries),
      wallClockMinutes: bound('wall_clock_minutes', policy.agent.wall_clock_minutes),
    };
  }

  dependencies(entries: readonly (string | number)[]): number[] {
    const issues = entries.flatMap((entry) => {
      const text = String(entry);
      return this.ownIssue(text, readIssueReference(text, this.context.repository ?? null));
    });
    return [...new Set(issues)].sort((left, right) => left - right);
  }

  private ownIssue(text: string, reference: IssueReference | null): number[] {
    const shown = JSON.stringify(text.slice(0, 120));
    if (reference === null) {
      this.refuse('depends_on', 'not-an-issue', `${shown} names no issue: write #9.`);
    } else if (reference.kind === 'foreign') {
      this.refuse('depends_on', 'foreign-issue', `${shown} is not an issue of this repository.`);
    } else if (reference.issue === this.context.issue) {
      this.refuse('depends_on', 'own-issue', 'The task depends on itself.');
    } else {
      return [reference.issue];
    }
    return [];
  }

  checkKind(spec: Partial<TaskSpec>): void {
    if (spec.allowedPaths?.length === 0)
      this.missing('allowed_paths', 'name the files and folders that may change');
    if (spec.testCommand === null)
      this.missing('test_command', 'neither the issue nor policy says how tests are run');
    if (spec.kind === 'fix' && spec.targetTests?.length === 0) {
      this.missing('target_tests', 'a fix needs a test that fails before it and passes after it');
    }
    if (spec.acceptanceCriteria?.length === 0) this.notes.push('No acceptance criteria were given.');
  }
}
