import type { AttemptOutcome, ResultReport, SpawnContract } from '../domain/contract.ts';
import { resultReportSchema } from '../domain/contract.ts';
import type { Digest } from '../domain/digest.ts';
import type { Oid } from '../domain/ids.ts';
import type { Enforced } from '../host/sandbox.ts';
import { cut, visible } from '../text/escape.ts';
import type { UsedUp } from './budget.ts';
import type { CheckRun } from './verify.ts';
import type { ChangedFile } from './work-tree/tree-changes.ts';
import type { TreeViolation } from './work-tree/tree-violation.ts';

/** What the parent observed of an attempt, from its start to its end. */
export interface Observed {
  readonly status: ResultReport['status'];
  readonly outcome: AttemptOutcome;
  readonly tree: Oid | null;
  readonly lastSequence: number;
  readonly changed: readonly ChangedFile[];
  readonly violations: readonly TreeViolation[];
  readonly outside: readonly string[];
  readonly checks: readonly CheckRun[];
  readonly tries: number;
  readonly used: UsedUp;
  readonly agentVersion: string | null;
  readonly model: string | null;
  readonly enforced: Enforced | null;
  readonly swept: number;
  /** The agent's own last words. */
  readonly claim: string | null;
}

/** The result report: everything in it was observed, but `claim`, which is the agent's word. Secrets are cleaned out. */
export function resultReport(
  contract: SpawnContract,
  contractDigest: Digest,
  observed: Observed,
  clean: (text: string) => string,
): ResultReport {
  const { used, enforced } = observed;
  const text = (value: string, most: number) => cut(visible(clean(value)), most);
  return resultReportSchema.parse({
    version: 1,
    attempt: contract.attempt,
    contractDigest,
    status: observed.status,
    outcome: { class: observed.outcome.class, reason: observed.outcome.reason },
    base: contract.base,
    tree: observed.tree,
    lastSequence: observed.lastSequence,
    changedFiles: observed.changed.slice(0, 10_000).map((file) => ({ ...file, path: text(file.path, 2000) })),
    checks: observed.checks.slice(-100).map((check) => ({ ...check, command: text(check.command, 2000) })),
    violations: violationTexts(observed).map((line) => text(line, 500)),
    tries: observed.tries,
    usage: { ...used },
    agent: {
      version: observed.agentVersion === null ? null : text(observed.agentVersion, 100),
      model: observed.model === null ? null : text(observed.model, 200),
    },
    isolation: {
      enforced: enforced?.isolation ?? 'none',
      detail:
        enforced === null
          ? 'nothing was started'
          : `${enforced.detail}; network of checks ${enforced.network}`,
    },
    cleanup: { killed: observed.swept },
    claim: observed.claim === null ? null : { summary: text(observed.claim, 9000) },
  });
}

function violationTexts(observed: Observed): string[] {
  const named = observed.violations.map(({ code, path }) => `${code}: ${path}`);
  return [...named, ...observed.outside.map((path) => `outside-allowed-paths: ${path}`)].slice(0, 1000);
}

/** The exit code by which the job ends: 64 and 65 are the harness's own words for money and circuit breaker. */
export function exitCodeOf(report: Pick<ResultReport, 'status' | 'outcome'>): number {
  if (report.status === 'ready') return 0;
  if (report.outcome.reason.startsWith('breaker-')) return 65;
  return report.outcome.class === 'budget' ? 64 : 1;
}
