import { digestValue } from '../domain/digest.ts';
import { CcdError } from '../domain/errors.ts';
import type { TaskSpec } from '../domain/spec.ts';
import type { Finding, Rule } from '../domain/verdict.ts';
import type { Policy } from '../policy/policy.ts';
import type { Change } from './model/change.ts';
import type { Parsers } from './parse/syntax.ts';
import { type Draft, type Judged, judgedOf, type StaticRule } from './rules/judged.ts';
import { entryRule } from './rules/r0-entries.ts';
import { hostilePathRule } from './rules/r0-paths.ts';
import { protectedRule } from './rules/r0-protected.ts';
import { shadowingRule } from './rules/r0-shadowing.ts';
import { syntaxRule } from './rules/r0-syntax.ts';
import { hiddenTextRule } from './rules/r0-text.ts';
import { pathRule } from './rules/r1-paths.ts';
import { testsGrowRule } from './rules/r2-tests.ts';
import { sizeRule } from './rules/r3-size.ts';
import { gamingRule } from './rules/r6-gaming.ts';

/** Rules that need nothing but the two trees. */
export type StaticRuleName = Extract<Rule, 'R0' | 'R1' | 'R2' | 'R3' | 'R6'>;

export type StaticOutcome =
  | { readonly kind: 'judged'; readonly findings: readonly Finding[] }
  | { readonly kind: 'could-not-judge'; readonly reason: string };

const rules: Readonly<Record<StaticRuleName, readonly StaticRule[]>> = {
  R0: [entryRule, hostilePathRule, protectedRule, hiddenTextRule, syntaxRule, shadowingRule],
  R1: [pathRule],
  R2: [testsGrowRule],
  R3: [sizeRule],
  R6: [gamingRule],
};

/**
 * Judges a change by its trees alone. Pure: the same input gives the same findings in the same order. All rules report
 * everything they find; nothing that the change says about itself is read. `options.rules` limits what is judged.
 */
export function judgeStatic(
  change: Change,
  spec: TaskSpec,
  policy: Policy,
  parsers: Parsers,
  options: { readonly rules?: ReadonlySet<Rule> } = {},
): StaticOutcome {
  const judged = judgedOf(change, spec, policy, parsers);
  const specDigest = digestValue(spec);
  const drafts = judgeRules(judged, options.rules);
  if (drafts === null) return { kind: 'could-not-judge', reason: 'A file could not be parsed in time.' };
  const findings = drafts.map((draft) => toFinding(draft, change, specDigest));
  return { kind: 'judged', findings: sortFindings(findings) };
}

/** Null when the parser ran out of time: that says nothing about the change. */
function judgeRules(judged: Judged, wanted: ReadonlySet<Rule> | undefined): Draft[] | null {
  try {
    return (Object.keys(rules) as StaticRuleName[])
      .filter((name) => wanted?.has(name) ?? true)
      .flatMap((name) => rules[name].flatMap((rule) => rule(judged)));
  } catch (fault) {
    if (fault instanceof CcdError && fault.code === 'guard.parse-timeout') return null;
    throw fault;
  }
}

/** The fingerprint ties a finding to its inputs: the blobs of its file (or both trees) and the spec. */
function toFinding({ subject, ...draft }: Draft, change: Change, specDigest: string): Finding {
  const inputs =
    draft.file === null
      ? [change.base.tree, change.head.tree]
      : [entryOf(change, 'base', draft.file), entryOf(change, 'head', draft.file)];
  const fingerprint = digestValue([draft.rule, draft.class, draft.file, subject ?? null, inputs, specDigest]);
  return { ...draft, fingerprint };
}

function entryOf(change: Change, side: 'base' | 'head', path: string): string | null {
  const entry = change[side].entries.get(path);
  return entry === undefined ? null : `${entry.mode} ${entry.oid}`;
}

function sortFindings(findings: readonly Finding[]): Finding[] {
  const key = (each: Finding) =>
    [each.rule, each.file ?? '', String(each.line ?? 0).padStart(9, '0'), each.class, each.fingerprint].join(
      '\u{0}',
    );
  const unique = new Map(findings.map((each) => [key(each), each]));
  return [...unique].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, each]) => each);
}
