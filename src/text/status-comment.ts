import { z } from 'zod';
import type { Digest } from '../domain/digest.ts';
import { issueNumberSchema, type MicroUsd, type Oid } from '../domain/ids.ts';
import type { Phase, Reason, VerdictState } from '../domain/state.ts';
import type { Finding } from '../domain/verdict.ts';
import { renderFindings } from './findings-table.ts';
import { parseMarker, renderMarker } from './marker.ts';
import { explainReason } from './reason-words.ts';

/** Everything that the one status comment of a task shows. `echo` is Markdown made by `echo()`. */
export interface StatusComment {
  readonly issue: number;
  readonly phase: Phase;
  readonly reason: Reason | null;
  readonly generation: number;
  /** Generations since the task was asked for (again), and how many it may have. */
  readonly spentGenerations: number;
  readonly maxGenerations: number;
  readonly attempt: string | null;
  readonly runUrl: string | null;
  readonly candidate: Oid | null;
  readonly verdict: Pick<VerdictState, 'verdict' | 'findings'> | null;
  /** Findings with their text, where they are at hand; they may hold file names and reasons, never agent prose. */
  readonly findings: readonly Finding[];
  readonly pull: number | null;
  /** Place in the queue from 1. */
  readonly queuePosition: number | null;
  readonly landed: { readonly commit: Oid; readonly build: number } | null;
  /** Null where nothing could be metered. */
  readonly spentMicroUsd: MicroUsd | null;
  /** Attempts that are over and told no price: the sum is without them. */
  readonly unmetered: number;
  readonly late: number;
  readonly bodyDigest: Digest | null;
  readonly echo: string | null;
}

export const statusMarkerSchema = z.strictObject({ issue: issueNumberSchema });

/** The status comment of a task, edited in place. At most `mostLength` characters. */
export function renderStatusComment(status: StatusComment): string {
  const head = [
    renderMarker('status', { issue: status.issue }),
    `### ccd: ${status.phase}`,
    ...movesOf(status),
  ];
  const body = [...head, tableOf(status), ...findingsOf(status)].join('\n\n');
  const echoed =
    status.echo === null
      ? ''
      : `\n\n<details><summary>Spec as understood</summary>\n\n${status.echo}\n\n</details>`;
  return shorten(body, echoed);
}

/** GitHub takes comments of 65,536 characters. */
const mostLength = 65_000;

function shorten(body: string, echoed: string): string {
  const whole = body + echoed;
  return `${whole.length <= mostLength ? whole : body}\n`;
}

/** The issue that a status comment of ours speaks of; null for every other comment. */
export function parseStatusMarker(body: string): { issue: number } | null {
  return parseMarker('status', body, statusMarkerSchema);
}

function movesOf({ reason, phase }: StatusComment): string[] {
  if (reason === null) return [];
  const { why, mover, ends } = explainReason(reason, phase);
  return [`${why}\n\nNext move: **${mover}**. ${ends}`];
}

function tableOf(status: StatusComment): string {
  const rows: [string, string | null][] = [
    ['Generation', generationOf(status)],
    ['Attempt', attemptOf(status)],
    ['Candidate', status.candidate],
    ['Guard', verdictOf(status)],
    ['Pull request', status.pull === null ? null : `#${status.pull}`],
    ['Queue', status.queuePosition === null ? null : `place ${status.queuePosition}`],
    ['Landed', status.landed === null ? null : `${status.landed.commit} (build ${status.landed.build})`],
    ['Spent', spentOf(status)],
    [
      'Came late',
      status.late === 0 ? null : `${status.late} hand-overs of older generations, kept as evidence, not used`,
    ],
    ['Body digest', status.bodyDigest === null ? null : `\`${status.bodyDigest}\``],
  ];
  const shown = rows.filter((row): row is [string, string] => row[1] !== null);
  return ['| | |', '| --- | --- |', ...shown.map(([name, value]) => `| ${name} | ${value} |`)].join('\n');
}

/** Numbers of generations never fall; their bound begins anew with each request. */
function generationOf({ generation, spentGenerations, maxGenerations }: StatusComment): string | null {
  if (generation === 0) return null;
  return generation === spentGenerations
    ? `${generation} of at most ${maxGenerations}`
    : `${generation} (${spentGenerations} of at most ${maxGenerations} since the last request)`;
}

function attemptOf({ attempt, runUrl }: StatusComment): string | null {
  if (attempt === null) return null;
  return runUrl === null ? attempt : `[${attempt}](${runUrl})`;
}

function verdictOf({ verdict }: StatusComment): string | null {
  if (verdict === null) return null;
  const rules = [...new Set(verdict.findings.map(({ rule, class: word }) => `${rule} ${word}`))].sort();
  return rules.length === 0 ? verdict.verdict : `${verdict.verdict}: ${rules.slice(0, 20).join(', ')}`;
}

function spentOf({ spentMicroUsd, generation, unmetered }: StatusComment): string | null {
  if (generation === 0) return null;
  if (spentMicroUsd === null) return 'not metered';
  const sum = `${(spentMicroUsd / 1_000_000).toFixed(2)} USD`;
  return unmetered === 0 ? sum : `${sum}, without ${unmetered} of the attempts, which told no price`;
}

function findingsOf({ findings }: StatusComment): string[] {
  return findings.length === 0 ? [] : [`Findings of the guard:\n\n${renderFindings(findings, 20)}`];
}
