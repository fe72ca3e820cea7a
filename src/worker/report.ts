import type { SpawnContract } from '../domain/contract.ts';
import type { Digest } from '../domain/digest.ts';
import { type ResultReport, reportCaps, resultReportSchema } from '../domain/report.ts';
import { cut, visible } from '../text/escape.ts';
import { type AgentClaim, claimDifferences } from './claim.ts';
import type { Observed } from './observed.ts';
import type { Overlap } from './overlaps.ts';
import { unfinishedWork } from './unfinished.ts';

/** What a report is made from besides the work itself. Times in milliseconds since the epoch. */
export interface ReportFrame {
  readonly contract: SpawnContract;
  readonly contractDigest: Digest;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Null when it could not be looked at. */
  readonly overlaps: readonly Overlap[] | null;
  /** Takes secrets out. */
  readonly clean: (text: string) => string;
}

/** The result report: everything in it was observed, but `claim`, which is the agent's word. Secrets are cleaned out. */
export function resultReport(frame: ReportFrame, observed: Observed): ResultReport {
  const { contract, contractDigest, overlaps } = frame;
  const text = (value: string, most: number) => cut(visible(frame.clean(value)), most);
  const path = (value: string) => text(value, 2000) || '?';
  const { status, outcome, tree } = observed;
  const files = observed.changed.slice(0, reportCaps.files);
  return resultReportSchema.parse({
    version: 1,
    attempt: contract.attempt,
    contractDigest,
    status,
    outcome: outcomeOf(outcome),
    exitCode: exitCodeOf(observed),
    startedAt: new Date(frame.startedAt).toISOString(),
    endedAt: new Date(Math.max(frame.startedAt, frame.endedAt)).toISOString(),
    base: contract.base,
    tree,
    lastSequence: observed.lastSequence,
    changedFiles: files.map((file) => ({ ...file, path: path(file.path) })),
    checks: observed.checks
      .slice(-reportCaps.checks)
      .map((check) => ({ ...check, command: text(check.command, 2000) })),
    violations: violationTexts(observed)
      .slice(0, reportCaps.lines)
      .map((line) => text(line, 500)),
    overlaps:
      overlaps?.slice(0, reportCaps.overlaps).map((one) => ({ ...one, path: path(one.path) })) ?? null,
    unfinished: unfinishedWork(observed)
      .slice(0, reportCaps.lines)
      .map((one) => ({ ...one, detail: text(one.detail, 2000) })),
    proposedCommit: tree === null ? null : { parent: contract.base, tree, files: observed.changed.length },
    tries: observed.tries,
    usage: { ...observed.used },
    agent: {
      version: observed.agentVersion === null ? null : text(observed.agentVersion, 100),
      model: observed.model === null ? null : text(observed.model, 200),
    },
    isolation: isolationOf(observed),
    cleanup: { killed: observed.swept },
    claim: observed.claim === null ? null : claimOf(observed.claim, text),
  });
}

/** Every text of a report that somebody else may have chosen, for a search. */
export function reportTexts({ changed, checks, claim, ...observed }: Observed): string {
  const said = claim === null ? [] : [claim.summary, claim.subject ?? '', ...(claim.unfinished ?? [])];
  return [
    ...said,
    ...(claim?.changedFiles ?? []),
    ...changed.map(({ path }) => path),
    ...checks.map(({ command }) => command),
    ...observed.violations.map(({ path }) => path),
    ...observed.outside,
  ].join('\n');
}

function outcomeOf({ class: kind, reason, resetsAt }: Observed['outcome']): Observed['outcome'] {
  return { class: kind, reason, ...(resetsAt === undefined || resetsAt === null ? {} : { resetsAt }) };
}

function isolationOf({ enforced }: Observed): ResultReport['isolation'] {
  if (enforced === null) return { enforced: 'none', detail: 'nothing was started' };
  return {
    enforced: enforced.isolation,
    detail: cut(`${enforced.detail}; network of checks ${enforced.network}`, 500),
  };
}

function claimOf(claim: AgentClaim, text: (value: string, most: number) => string): ResultReport['claim'] {
  return {
    summary: text(claim.summary, 9000),
    changedFiles: claim.changedFiles?.map((path) => text(path, 2000)) ?? null,
    unfinished: claim.unfinished?.map((item) => text(item, 500)) ?? null,
    subject: claim.subject === null ? null : text(claim.subject.replace(/\s+/g, ' '), 200),
  };
}

function violationTexts({ violations, outside, claim, changed }: Observed): string[] {
  const { notChanged, notClaimed } = claimDifferences(claim?.changedFiles ?? null, changed);
  return [
    ...violations.map(({ code, path }) => `${code}: ${path}`),
    ...outside.map((path) => `outside-allowed-paths: ${path}`),
    ...notChanged.map((path) => `claimed-not-changed: ${path}`),
    ...notClaimed.map((path) => `changed-not-claimed: ${path}`),
  ];
}

/**
 * The exit code by which the job ends: 64 and 65 are the harness's own words for money, time or turns and for the circuit
 * breaker, 70 is a fault that nobody foresaw.
 */
export function exitCodeOf({
  status,
  outcome,
}: Pick<ResultReport, 'status' | 'outcome'>): ResultReport['exitCode'] {
  if (status === 'ready') return 0;
  if (outcome.class === 'budget') return 64;
  if (outcome.reason.startsWith('breaker-')) return 65;
  return outcome.reason === 'fault' ? 70 : 1;
}
