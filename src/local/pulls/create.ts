import { countBetween } from '../git/ancestry.ts';
import { createIssue } from '../issues/create.ts';
import { openPulls } from '../issues/issue-index.ts';
import { nodeId } from '../node-id.ts';
import { asPull, type PullIssue } from '../present/pull.ts';
import type { Actor } from '../principal.ts';
import type { Pull } from '../records/issue.ts';
import type { Repo } from '../records/repository.ts';
import type { Store } from '../store.ts';
import { pointPullRef } from './sync.ts';

export interface NewPull {
  readonly title: string;
  readonly body: string | null;
  readonly head: string;
  readonly base: string;
  readonly draft: boolean;
}

export type PullCreation =
  | { readonly kind: 'created'; readonly issue: PullIssue }
  | { readonly kind: 'refused'; readonly field: 'head' | 'base' | null; readonly message: string };

/** Opens a pull request, or says why GitHub would not: missing branch, nothing between, one open already. */
export async function createPull(
  store: Store,
  repo: Repo,
  actor: Actor,
  input: NewPull,
): Promise<PullCreation> {
  const headRef = withoutOwner(repo, input.head);
  const headSha = await repo.git.ref(`refs/heads/${headRef}`);
  if (!headSha) return { kind: 'refused', field: 'head', message: '' };
  const baseSha = await repo.git.ref(`refs/heads/${input.base}`);
  if (!baseSha) return { kind: 'refused', field: 'base', message: '' };
  if ((await countBetween(repo.git, baseSha, headSha)) === 0)
    return { kind: 'refused', field: null, message: `No commits between ${input.base} and ${headRef}` };
  const label = `${repo.owner.login}:${headRef}`;
  if (openPull(repo, headRef, input.base))
    return { kind: 'refused', field: null, message: `A pull request already exists for ${label}.` };
  const pull = newPull(store, { ...input, headRef, headSha, baseSha });
  const issue = asPull(createIssue(store, repo, actor, { title: input.title, body: input.body, pull }))!;
  await pointPullRef(repo, issue);
  return { kind: 'created', issue };
}

function newPull(
  store: Store,
  input: NewPull & { readonly headRef: string; readonly headSha: string; readonly baseSha: string },
): Pull {
  const id = store.nextId('pull');
  return {
    id,
    nodeId: nodeId('PR', id),
    draft: input.draft,
    headRef: input.headRef,
    headSha: input.headSha,
    baseRef: input.base,
    baseSha: input.baseSha,
    merged: false,
    mergedAt: null,
    mergedBy: null,
    mergeCommitSha: null,
    mergeable: null,
    reviews: [],
  };
}

/** `owner:branch` of this repository's owner is the branch itself. Forks are not served. */
export const withoutOwner = (repo: Repo, head: string): string =>
  head.startsWith(`${repo.owner.login}:`) ? head.slice(repo.owner.login.length + 1) : head;

/** The open pull request of a pair of branches. */
export const openPull = (repo: Repo, headRef: string, baseRef: string): PullIssue | undefined =>
  openPulls(repo).find((one) => one.pull.headRef === headRef && one.pull.baseRef === baseRef);
