import { z } from 'zod';
import type { SpawnContract } from '../domain/contract.ts';
import { CcdError } from '../domain/errors.ts';
import type { Oid } from '../domain/ids.ts';
import type { Clone } from '../git/bare-clone.ts';
import { rebaseChange } from '../git/merge.ts';
import type { GitHubClient } from '../github/client.ts';
import { type RepoName, repoParams } from '../github/repo-name.ts';
import { fetchShallow } from './fetch-shallow.ts';
import type { Carried } from './prompt.ts';

/** Where the work begins: the tree to lay, and what to tell about it. */
export interface StartingPoint {
  readonly tree: Oid;
  readonly carried: Carried | null;
}

const guardCheckName = 'ccd / guard';

const checksSchema = z.object({
  check_runs: z.array(
    z.object({
      id: z.number(),
      name: z.string(),
      output: z.object({
        title: z.string().nullish(),
        summary: z.string().nullish(),
        text: z.string().nullish(),
      }),
    }),
  ),
});

/**
 * Base's own tree, or the last candidate's change merged onto it (a copied tree would undo what landed meanwhile) with the
 * guard's words about that candidate. Files that conflict hold markers. Throws CcdError when base or candidate are gone.
 */
export async function startingPoint(
  clone: Clone,
  client: GitHubClient,
  repo: RepoName,
  contract: SpawnContract,
): Promise<StartingPoint> {
  if (!(await fetchShallow(clone, [contract.base]))) throw gone(contract.base);
  if (contract.carry === null) return { tree: contract.baseTree, carried: null };
  const { candidate, base } = contract.carry;
  if (!(await fetchShallow(clone, [candidate, base]))) throw gone(candidate);
  const merged = await rebaseChange(clone, { candidate, oldBase: base, newBase: contract.base });
  const conflicts = merged.kind === 'conflict' ? merged.paths : [];
  const findings = await readFindings(client, repo, candidate);
  return { tree: merged.tree, carried: { conflicts, findings } };
}

/** The newest guard check on the candidate, as text; null when there is none. */
async function readFindings(client: GitHubClient, repo: RepoName, candidate: Oid): Promise<string | null> {
  const params = { ...repoParams(repo), ref: candidate, check_name: guardCheckName, filter: 'latest' };
  const answer = await client.find(
    'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
    params,
    checksSchema,
  );
  const newest = [...(answer?.check_runs ?? [])].sort((left, right) => right.id - left.id)[0];
  if (newest === undefined) return null;
  const { title, summary, text } = newest.output;
  const parts = [title, summary, text].filter((part) => part !== null && part !== undefined && part !== '');
  return parts.length === 0 ? null : parts.join('\n\n').slice(0, 20_000);
}

function gone(commit: Oid): CcdError {
  return new CcdError({
    code: 'worker.commit-gone',
    message: `Commit ${commit}, which this attempt is to start from, is not in the repository any more.`,
    remedy: 'Dispatch the task again.',
    audience: 'operator',
  });
}
