import type { Finding, VerdictWord } from '../domain/verdict.ts';
import { cut, prose } from './escape.ts';
import { renderFindings, renderWaiverCommands } from './findings-table.ts';

/** What a check run shows: GitHub takes at most 65,535 characters in summary and in text. */
export interface CheckOutput {
  readonly title: string;
  readonly summary: string;
  readonly text: string;
}

export const mostCheckText = 65_535;

export interface GuardCheckInput {
  readonly verdict: VerdictWord;
  readonly findings: readonly Finding[];
  /** Why nothing could be judged; null otherwise. */
  readonly reason: string | null;
  /** Fingerprints of findings that a person waived. */
  readonly waived: readonly string[];
  /** True while only the static rules have judged. */
  readonly staticOnly: boolean;
}

const meaning = [
  'A pass means: nothing protected changed, only allowed paths changed, existing tests were only added to, the change is bounded, every test that',
  'passed before still passes under the old tests, the target test fails before and passes after, and no known trick was found.',
  'It does not mean that the change is what was wished for, that its design is good, or that the tests are strong.',
].join(' ');

/** Output of the check `ccd / guard`. */
export function renderGuardCheck(input: GuardCheckInput): CheckOutput {
  const parts = [sentence(input), meaning, ...waivedLine(input.waived)];
  return {
    title: titleOf(input),
    summary: cut(parts.join('\n\n'), mostCheckText),
    text: fitRows(input.findings, (most) => textOf(input.findings, most)),
  };
}

export function titleOf({ verdict, findings }: Pick<GuardCheckInput, 'verdict' | 'findings'>): string {
  if (verdict === 'pass') return 'Pass';
  if (verdict === 'could-not-judge') return 'Could not judge';
  const rules = [...new Set(findings.map((finding) => finding.rule))].sort().join(', ');
  return `Fail: ${findings.length} ${findings.length === 1 ? 'finding' : 'findings'} (${rules})`;
}

function sentence({ verdict, reason, staticOnly }: GuardCheckInput): string {
  if (verdict === 'pass') return '**Pass.**';
  if (verdict === 'could-not-judge') {
    return `**Could not judge**: ${prose(reason ?? 'no reason was recorded', 1000)} Nobody is to blame; it is tried again.`;
  }
  return staticOnly
    ? '**Fail**, by the rules that need no execution; the change was not executed.'
    : '**Fail.** The findings are below and on the lines they speak of.';
}

function waivedLine(waived: readonly string[]): string[] {
  return waived.length === 0
    ? []
    : [`Waived by a person: ${waived.map((print) => `\`${print}\``).join(', ')}.`];
}

function textOf(findings: readonly Finding[], most: number): string {
  if (findings.length === 0) return 'No findings.';
  const waive = 'A person with write access who had no part in the change may waive a finding by a comment:';
  return [renderFindings(findings, most), waive, renderWaiverCommands(findings, most)].join('\n\n');
}

/** Shows as many rows as fit. */
export function fitRows(findings: readonly Finding[], render: (most: number) => string): string {
  for (let most = Math.min(findings.length, 200); most > 1; most = Math.floor(most / 2)) {
    const text = render(most);
    if (text.length <= mostCheckText) return text;
  }
  return cut(render(1), mostCheckText);
}
