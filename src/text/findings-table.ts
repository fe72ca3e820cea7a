import type { Finding } from '../domain/verdict.ts';
import { codeCell, prose } from './escape.ts';

/** Findings as a Markdown table of at most `most` rows, with a line that says how many are left out. */
export function renderFindings(findings: readonly Finding[], most: number): string {
  if (findings.length === 0) return 'No findings.';
  const rows = findings.slice(0, most).map(renderRow);
  const left = findings.length - rows.length;
  const table = ['| Rule | Where | What | What to do |', '| --- | --- | --- | --- |', ...rows].join('\n');
  return left > 0 ? `${table}\n\n${left} more are not shown.` : table;
}

function renderRow(finding: Finding): string {
  return `| ${finding.rule} ${prose(finding.class, 60)} | ${whereOf(finding)} | ${prose(finding.reason, 400)} | ${prose(finding.remedy, 400)} |`;
}

function whereOf({ file, line }: Finding): string {
  if (file === null) return 'whole change';
  return codeCell(line === null ? file : `${file}:${line}`, 300);
}

/** The command that waives each finding, for a person who may. */
export function renderWaiverCommands(findings: readonly Finding[], most: number): string {
  const lines = findings.slice(0, most).map((finding) => `/ccd waive ${finding.fingerprint} <reason>`);
  return ['```text', ...lines, '```'].join('\n');
}
