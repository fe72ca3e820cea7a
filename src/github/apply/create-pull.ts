import { z } from 'zod';
import { type DatabaseId, databaseIdSchema, type IssueNumber, issueNumberSchema } from '../../domain/ids.ts';
import type { GitHubClient, WriteAnswer } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { notDone, outcomeOf, type WriteOutcome } from './write-outcome.ts';

export interface NewPull {
  /** Short name of a branch of this repository. */
  readonly head: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
  readonly draft: boolean;
}

export interface CreatedPull {
  readonly number: IssueNumber;
  readonly id: DatabaseId;
  readonly nodeId: string;
  /** False although a draft was asked for: the plan has none, so the caller shows it by a label. */
  readonly draft: boolean;
}

const createdSchema = z.object({
  number: issueNumberSchema,
  id: databaseIdSchema,
  node_id: z.string(),
  draft: z.boolean().nullish(),
});
type Created = z.infer<typeof createdSchema>;

/**
 * Opens a pull request, as a draft where the plan has drafts. `exists`: one is open for this pair of branches (find it by
 * its head). Refused with `no-commits` when head holds nothing that base lacks.
 */
export async function createPull(
  client: GitHubClient,
  repo: RepoName,
  pull: NewPull,
): Promise<WriteOutcome<CreatedPull>> {
  const first = await send(client, repo, pull);
  const retried =
    pull.draft && isDraftRefusal(first) ? await send(client, repo, { ...pull, draft: false }) : first;
  if (retried.kind === 'failed' && retried.failure.kind === 'unprocessable') {
    const { message } = retried.failure;
    if (/pull request already exists/i.test(message)) return { kind: 'exists' };
    if (/no commits between/i.test(message)) return { kind: 'refused', reason: 'no-commits', message };
    return notDone(retried.failure);
  }
  return outcomeOf(retried, ({ number, id, node_id, draft }) => ({
    number,
    id,
    nodeId: node_id,
    draft: draft ?? false,
  }));
}

function send(client: GitHubClient, repo: RepoName, pull: NewPull): Promise<WriteAnswer<Created>> {
  const params = { ...repoParams(repo), ...pull, maintainer_can_modify: false };
  return client.write('POST /repos/{owner}/{repo}/pulls', params, createdSchema, 'content');
}

function isDraftRefusal(answer: WriteAnswer<Created>): boolean {
  return (
    answer.kind === 'failed' &&
    answer.failure.kind === 'unprocessable' &&
    /draft pull requests are not supported/i.test(answer.failure.message)
  );
}
