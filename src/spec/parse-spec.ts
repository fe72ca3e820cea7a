import { type TaskSpec, taskSpecSchema } from '../domain/spec.ts';
import type { Policy } from '../policy/policy.ts';
import { type Problem, problem } from '../policy/problem.ts';
import { readYamlMapping } from '../policy/yaml-mapping.ts';
import { findDependencies } from './dependency-lines.ts';
import { fillSpec, type SpecContext } from './fill-spec.ts';
import { hidesBlocks } from './html-pieces.ts';
import {
  isTooDeep,
  type MarkdownText,
  maxBodyLength,
  maxBodyLines,
  normaliseLineEnds,
  readMarkdown,
  spanOf,
  walk,
  withoutComments,
} from './markdown.ts';
import { type FieldStatement, mergeSources } from './merge-sources.ts';
import { sectionValue } from './section-values.ts';
import { readSections, type Sections } from './sections.ts';
import { type FieldName, fieldOfKey, fieldTitles } from './spec-fields.ts';

export type ParsedSpec =
  | { readonly kind: 'valid'; readonly spec: TaskSpec; readonly notes: readonly string[] }
  | {
      readonly kind: 'invalid';
      /** All of them at once, in the order of the text; what is missing comes last. */
      readonly problems: readonly Problem[];
      /** What could be understood in spite of the problems. */
      readonly partial: Partial<TaskSpec>;
      readonly notes: readonly string[];
    };

interface Statements {
  readonly statements: readonly FieldStatement[];
  readonly problems: readonly Problem[];
  /** True when what stands there could not be read at all, so that nothing can be called missing. */
  readonly unreadable: boolean;
}

/**
 * Reads an issue body: the headings of the issue form, an optional fenced `ccd` YAML block (which wins over headings, and must
 * not contradict them) and `Depends on #n` in running text. Defaults come from policy. Never throws, whatever the text.
 */
export function parseSpec(markdown: string, policy: Policy, context: SpecContext = {}): ParsedSpec {
  const refusal = unreadable(markdown);
  if (refusal !== null) return { kind: 'invalid', problems: [refusal], partial: {}, notes: [] };
  const text = readMarkdown(markdown);
  if (hidesBlocks(walk(text.root), text.source))
    return { kind: 'invalid', problems: [hiddenProblem], partial: {}, notes: [] };
  const sections = readSections(text);
  const headings = readHeadings(sections, withoutComments(text));
  const yaml = readBlocks(sections);
  const merged = mergeSources([...headings.statements, ...mentioned(text, context)], yaml.statements);
  const filled = fillSpec(merged, policy, context);
  const missing = yaml.unreadable
    ? filled.problems.filter(({ code }) => code !== 'missing')
    : filled.problems;
  const problems = [...headings.problems, ...yaml.problems, ...merged.problems, ...missing];
  const notes = [
    ...filled.notes,
    ...sections.others.map((title) => `Not read as a field: the section "${title}".`),
  ];
  if (problems.length > 0)
    return { kind: 'invalid', problems: inOrder(problems), partial: filled.partial, notes };
  return { kind: 'valid', spec: taskSpecSchema.parse(filled.partial), notes };
}

/** Whoever labels an issue decides by the page. */
const hiddenProblem = problem(
  'body',
  'hidden',
  'A comment or tag that is not closed in its own block hides other blocks of the text from the page.',
);

function unreadable(markdown: string): Problem | null {
  if (markdown.length > maxBodyLength && [...markdown].length > maxBodyLength) {
    return problem('body', 'too-long', `The text is longer than ${maxBodyLength} characters.`);
  }
  if (normaliseLineEnds(markdown).split('\n', maxBodyLines + 1).length > maxBodyLines) {
    return problem('body', 'too-long', `The text has more than ${maxBodyLines} lines.`);
  }
  return isTooDeep(markdown)
    ? problem(
        'body',
        'too-deep',
        'Lists or quotations are nested too deeply, or a paragraph holds thousands of marks.',
      )
    : null;
}

function readHeadings(sections: Sections, visible: string): Statements {
  const seen = new Map<FieldName, number>();
  const statements: FieldStatement[] = [];
  const problems: Problem[] = [];
  for (const section of sections.sections) {
    const { field, line } = section;
    const before = seen.get(field);
    if (before !== undefined) {
      const message = `The heading "${fieldTitles[field]}" stands twice (first in line ${before}): keep one.`;
      problems.push(problem(field, 'duplicate-heading', message, line));
      continue;
    }
    seen.set(field, line);
    const value = sectionValue(section, visible);
    if (value !== null) statements.push({ field, value, line });
  }
  return { statements, problems, unreadable: false };
}

function readBlocks(sections: Sections): Statements {
  const problems = sections.buriedBlocks.map((line) =>
    problem(
      'body',
      'buried-block',
      'A `ccd` block inside a list or quotation is not read: move it out.',
      line,
    ),
  );
  const [block, second] = sections.blocks;
  if (second !== undefined) {
    problems.push(
      problem('body', 'duplicate-block', 'There are two `ccd` blocks: keep one.', spanOf(second).line),
    );
  }
  if (block === undefined) return { statements: [], problems, unreadable: false };
  const reading = readYamlMapping(block.value, 'body', spanOf(block).line + 1);
  const statements: FieldStatement[] = [];
  for (const { key, value, line } of reading.entries) {
    const field = fieldOfKey(key);
    if (field === null) {
      problems.push(
        problem(
          'body',
          'unknown-key',
          `The \`ccd\` block has an unknown key ${JSON.stringify(key.slice(0, 60))}.`,
          line,
        ),
      );
    } else if (statements.some((known) => known.field === field)) {
      problems.push(
        problem(field, 'duplicate-key', '`profile` and `profiles` are the same key: keep one.', line),
      );
    } else if (value !== null) {
      statements.push({ field, value, line });
    }
  }
  const unreadable = reading.problems.length > 0;
  return { statements, problems: [...problems, ...reading.problems], unreadable };
}

/** Mentions in running text as one statement; issues named again are the same dependency. */
function mentioned(text: MarkdownText, context: SpecContext): FieldStatement[] {
  const mentions = findDependencies(text, context.repository ?? null);
  const [first] = mentions;
  if (first === undefined) return [];
  const value = mentions.map(({ reference }) =>
    reference.kind === 'own' ? reference.issue : reference.text,
  );
  return [{ field: 'depends_on', value: [...new Set(value)], line: first.line }];
}

function inOrder(problems: readonly Problem[]): Problem[] {
  const place = (item: Problem) => item.line ?? Number.POSITIVE_INFINITY;
  return [...problems].sort((left, right) => (place(left) === place(right) ? 0 : place(left) - place(right)));
}
