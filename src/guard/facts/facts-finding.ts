import { digestValue } from '../../domain/digest.ts';
import type { FactsPlan } from '../../domain/facts.ts';
import type { TaskSpec } from '../../domain/spec.ts';
import type { Finding } from '../../domain/verdict.ts';
import { parseTestId } from './test-id.ts';

/** A finding before it gets its fingerprint. `test` is the id of the test it speaks of, if it speaks of one. */
export interface FactsFinding {
  readonly rule: 'R4' | 'R5';
  readonly class: string;
  readonly test: string | null;
  readonly reason: string;
  readonly remedy: string;
}

const maxFindings = 100;

/** Findings in the form of the verdict; the fingerprint covers what was executed: both commits, the spec and the test. */
export function toFindings(drafts: readonly FactsFinding[], plan: FactsPlan, spec: TaskSpec): Finding[] {
  const shown = drafts.slice(0, maxFindings).map((draft) => toFinding(draft, plan, spec));
  const rest = drafts.slice(maxFindings);
  const first = rest[0];
  if (first === undefined) return shown;
  const more: FactsFinding = {
    ...first,
    test: null,
    reason: `${rest.length} more tests gave reason to the same rules.`,
  };
  return [...shown, toFinding({ ...more, class: 'more-of-the-same' }, plan, spec)];
}

function toFinding(
  { rule, class: kind, test, reason, remedy }: FactsFinding,
  plan: FactsPlan,
  spec: TaskSpec,
): Finding {
  const path = test === null ? null : parseTestId(test).path;
  return {
    rule,
    class: kind,
    file: path === null || path.startsWith('(') ? null : path,
    line: null,
    reason,
    remedy,
    fingerprint: digestValue({ rule, kind, test, reason, base: plan.base, head: plan.head, spec }),
  };
}

/** A test's id for a sentence: one line, not too long. */
export function quoted(id: string): string {
  const line = id.replace(/[\u0000-\u001f\u007f]+/g, ' ');
  return `"${line.length > 300 ? `${line.slice(0, 299)}…` : line}"`;
}
