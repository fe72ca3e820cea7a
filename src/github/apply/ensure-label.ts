import { z } from 'zod';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { notDone, type WriteOutcome } from './write-outcome.ts';

export interface LabelDefinition {
  readonly name: string;
  /** Six hexadecimal digits. */
  readonly color: string;
  /** At most 100 characters. */
  readonly description: string;
}

/** Makes a label of the repository; one of that name is left as it is. */
export async function ensureLabel(
  client: GitHubClient,
  repo: RepoName,
  label: LabelDefinition,
): Promise<WriteOutcome> {
  const answer = await client.write(
    'POST /repos/{owner}/{repo}/labels',
    { ...repoParams(repo), ...label },
    z.unknown(),
  );
  if (answer.kind === 'done') return { kind: 'done' };
  const { failure } = answer;
  if (failure.kind === 'unprocessable' && /already_exists/.test(failure.message)) return { kind: 'exists' };
  return notDone(failure);
}
