import { z } from 'zod';
import type { SpawnContract } from '../domain/contract.ts';
import type { TaskSpec } from '../domain/spec.ts';
import type { Clone } from '../git/bare-clone.ts';
import type { GitHubClient } from '../github/client.ts';
import { type RepoName, repoParams } from '../github/repo-name.ts';
import { loadPolicy } from '../policy/load-policy.ts';
import type { Policy } from '../policy/policy.ts';
import { bodyDigest, specDigest } from '../spec/digest.ts';
import { parseSpec } from '../spec/parse-spec.ts';
import type { IssueText } from './prompt.ts';
import { readBaseFile } from './read-base-file.ts';

const issueSchema = z.object({
  number: z.number().int(),
  title: z.string(),
  body: z.string().nullable(),
  state: z.string(),
  comments: z.number().int().min(0).default(0),
});

export const policyPath = '.github/ccd.yml';

/** `differs`: what was echoed and pinned is not what stands there now; the reason is a word. */
export type ReadTask =
  | {
      readonly kind: 'read';
      readonly issue: IssueText;
      /** How many comments the issue has. */
      readonly comments: number;
      readonly spec: TaskSpec;
      readonly policy: Policy;
    }
  | { readonly kind: 'differs'; readonly reason: string };

/**
 * Reads the issue itself and policy from base's tree, and compares all with the digests of the contract: the prose is not in
 * the contract, so this is what binds it. Throws ApiFailure when the issue cannot be read.
 */
export async function readTask(
  client: GitHubClient,
  repo: RepoName,
  clone: Clone,
  contract: SpawnContract,
): Promise<ReadTask> {
  const params = { ...repoParams(repo), issue_number: contract.issue };
  const found = await client.find('GET /repos/{owner}/{repo}/issues/{issue_number}', params, issueSchema);
  if (found === null) return { kind: 'differs', reason: 'issue-gone' };
  if (found.state !== 'open') return { kind: 'differs', reason: 'issue-closed' };
  const issue = { number: found.number, title: found.title, body: found.body ?? '' };
  if (bodyDigest(issue.title, issue.body) !== contract.bodyDigest)
    return { kind: 'differs', reason: 'issue-edited' };
  const policy = loadPolicy(await policyText(clone, contract));
  if (policy.kind === 'invalid') return { kind: 'differs', reason: 'policy-invalid' };
  if (policy.digest !== contract.policyDigest) return { kind: 'differs', reason: 'policy-differs' };
  const context = { repository: `${repo.owner}/${repo.name}`, issue: issue.number };
  const parsed = parseSpec(issue.body, policy.policy, context);
  if (parsed.kind === 'invalid') return { kind: 'differs', reason: 'spec-invalid' };
  if (specDigest(parsed.spec) !== contract.specDigest) return { kind: 'differs', reason: 'spec-differs' };
  const { comments } = found;
  return { kind: 'read', issue, comments, spec: parsed.spec, policy: policy.policy };
}

async function policyText(clone: Clone, contract: SpawnContract): Promise<string | null> {
  return readBaseFile(clone.objects, contract.base, policyPath, 1024 * 1024);
}
