import { z } from 'zod';
import { CcdError } from '../../domain/errors.ts';
import { createComment } from '../../github/apply/create-comment.ts';
import { createIssue } from '../../github/apply/create-issue.ts';
import { setLabels } from '../../github/apply/set-labels.ts';
import type { GitHubClient } from '../../github/client.ts';
import type { RepoName } from '../../github/repo-name.ts';
import { dispatchLabel } from '../../text/labels.ts';

/** What people do: write an issue, set the label, comment. Each returns when GitHub has taken it. */
export async function openIssue(
  client: GitHubClient,
  repo: RepoName,
  title: string,
  body: string,
): Promise<number> {
  const made = await createIssue(client, repo, { title, body });
  if (made.kind === 'done') return made.number;
  throw notTaken('The issue', made.kind);
}

export async function askToStart(client: GitHubClient, repo: RepoName, number: number): Promise<void> {
  const set = await setLabels(client, repo, { number, add: [dispatchLabel], remove: [] });
  if (set.kind !== 'done' && set.kind !== 'exists') throw notTaken('The label', set.kind);
}

export async function say(
  client: GitHubClient,
  repo: RepoName,
  number: number,
  body: string,
): Promise<number> {
  const made = await createComment(client, repo, { number, body });
  if (made.kind === 'done') return made.id;
  throw notTaken('The comment', made.kind);
}

/** Edits an issue as a person does. */
export async function editIssue(
  client: GitHubClient,
  repo: RepoName,
  number: number,
  change: Readonly<Record<string, string>>,
): Promise<void> {
  const params = { owner: repo.owner, repo: repo.name, issue_number: number, ...change };
  const answer = await client.write('PATCH /repos/{owner}/{repo}/issues/{issue_number}', params, z.unknown());
  if (answer.kind !== 'done') throw notTaken('The edit', answer.failure.kind);
}

function notTaken(what: string, how: string): CcdError {
  return new CcdError({
    code: 'demo.person',
    message: `${what} was not taken: ${how}.`,
    remedy: 'Run it again; the log of the local GitHub tells why.',
    audience: 'bug',
  });
}
