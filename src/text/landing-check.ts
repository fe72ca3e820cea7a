import type { Oid } from '../domain/ids.ts';
import type { Finding, VerdictWord } from '../domain/verdict.ts';
import { cut, prose } from './escape.ts';
import { renderFindings } from './findings-table.ts';
import { type CheckOutput, fitRows, mostCheckText, titleOf } from './guard-check.ts';

export interface LandingCheckInput {
  readonly build: number;
  readonly try: number;
  readonly base: Oid;
  readonly members: readonly {
    readonly kind: 'task' | 'pull';
    readonly number: number;
    readonly candidate: Oid;
  }[];
  readonly verdict: VerdictWord;
  readonly findings: readonly Finding[];
  readonly reason: string | null;
}

/** Output of the check `ccd / landing`, which stands on builds only. */
export function renderLandingCheck(input: LandingCheckInput): CheckOutput {
  const members = input.members.map(({ kind, number, candidate }) => `- ${kind} #${number}: ${candidate}`);
  const parts = [
    `Build ${input.build}, try ${input.try}, on trunk ${input.base}.`,
    members.length === 0
      ? 'No members: this build only proves that trunk and its checks are sound.'
      : members.join('\n'),
    verdictSentence(input),
  ];
  return {
    title: titleOf(input),
    summary: cut(parts.join('\n\n'), mostCheckText),
    text: fitRows(input.findings, (most) => renderFindings(input.findings, most)),
  };
}

function verdictSentence({ verdict, reason }: LandingCheckInput): string {
  if (verdict === 'pass') {
    return "Pass: the build is exactly its members' changes on trunk, and every test that passed on trunk still does. It lands only if the required checks on this commit succeed too.";
  }
  if (verdict === 'fail') return 'Fail: this build does not land.';
  return `Could not judge: ${prose(reason ?? 'no reason was recorded', 1000)}`;
}
