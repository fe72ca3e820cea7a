import type { Computation } from '../../domain/command.ts';
import type { ComputationOutcome } from '../../domain/outcome.ts';
import { resultReportSchema } from '../../domain/report.ts';
import { reportFile } from '../../worker/attempt-files.ts';
import { type ComputeInput, taskOf } from './compute-input.ts';
import { downloadFiles, jsonOf } from './download.ts';

type Request = Extract<Computation, { kind: 'read-report' }>;

/** Reads a worker's report. It proves nothing; what it says is compared with what was really handed over. */
export async function readReport(input: ComputeInput, request: Request): Promise<ComputationOutcome> {
  const { issue, attempt, artifactId } = request;
  const invalid = (reason: string): ComputationOutcome => ({
    kind: 'report-invalid',
    issue,
    attempt,
    artifactId,
    reason,
  });
  const download = await downloadFiles(input.context, artifactId);
  if (download.kind === 'unreadable') return invalid(download.reason);
  const report = resultReportSchema.safeParse(jsonOf(download.files, reportFile));
  if (!report.success) return invalid('report-malformed');
  const task = taskOf(input, issue);
  if (task.attempt?.id !== attempt || task.attempt.stop !== null) {
    if (report.data.attempt !== attempt) return invalid('report-of-another-contract');
    const { usage, tries } = report.data;
    return { kind: 'late-report', issue, attempt, artifactId, microUsd: usage.microUsd, tries };
  }
  const { contractDigest, base } = report.data;
  if (report.data.attempt !== attempt || contractDigest !== task.attempt?.contractDigest) {
    return invalid('report-of-another-contract');
  }
  if (base !== task.attempt.contract.base) return invalid('report-of-another-base');
  if (report.data.lastSequence > task.attempt.lastSequence) return invalid('report-names-missing-tree');
  return { kind: 'report-read', issue, attempt, artifactId, report: report.data };
}
