import { artifactNames } from '../domain/contract.ts';
import { type ResultReport, resultReportSchema } from '../domain/report.ts';
import { readZip } from '../git/read-zip.ts';
import type { GitHubClient } from '../github/client.ts';
import { observeArtifacts } from '../github/observe/artifacts.ts';
import { downloadArtifact } from '../github/observe/download-artifact.ts';
import type { RepoName } from '../github/repo-name.ts';
import { parseHostileJson } from '../host/hostile-json.ts';
import { reportFile } from './attempt-files.ts';
import type { Predecessor } from './binding.ts';

/** What the attempt before this one came to; `report` null when none can be read: its machine was lost, or its artifacts are. */
export interface PredecessorStory {
  readonly attempt: string;
  readonly report: ResultReport | null;
}

const mostReportBytes = 16 * 1024 * 1024;

/**
 * Reads the report of the attempt before this one. It was written by a machine that the agent worked on: it tells, and
 * proves nothing. Throws ApiFailure when the artifacts cannot be listed.
 */
export async function readPredecessor(
  client: GitHubClient,
  repo: RepoName,
  predecessor: Predecessor | null,
): Promise<PredecessorStory | null> {
  if (predecessor === null) return null;
  const { attempt, runId } = predecessor;
  if (runId === null) return { attempt, report: null };
  const name = artifactNames.report(attempt);
  const artifacts = await observeArtifacts(client, repo, runId);
  const artifact = artifacts.find((one) => one.name === name && !one.expired);
  if (artifact === undefined) return { attempt, report: null };
  const download = await downloadArtifact(client, repo, artifact.id, { maxBytes: mostReportBytes });
  if (download.kind !== 'done') return { attempt, report: null };
  const zip = await readZip(Buffer.from(download.bytes));
  const file = zip.kind === 'read' ? zip.files.get(reportFile) : undefined;
  const parsed = resultReportSchema.safeParse(file === undefined ? null : parseHostileJson(file));
  return { attempt, report: parsed.success && parsed.data.attempt === attempt ? parsed.data : null };
}
