import { resolveCommit } from '../git/resolve.ts';
import { iso } from '../iso.ts';
import { findLabel } from '../issues/labels.ts';
import { asPull, type PullIssue } from '../present/pull.ts';
import type { Issue } from '../records/issue.ts';
import type { Repo } from '../records/repository.ts';
import { actorNode } from './actor-node.ts';
import { type Caller, demand, queryError } from './caller.ts';
import { labelNode } from './comment-node.ts';
import { type ConnectionArgs, connection } from './connection.ts';
import { commitNode, refNode } from './git-node.ts';
import { issueNode, pullNode } from './issue-node.ts';

interface ListArgs extends ConnectionArgs {
  readonly labels?: readonly string[] | null;
  readonly states?: readonly string[] | null;
  readonly headRefName?: string | null;
  readonly baseRefName?: string | null;
  readonly orderBy?: { readonly field: string; readonly direction: 'ASC' | 'DESC' } | null;
}

const hasLabel = (issue: Issue, names: readonly string[]): boolean =>
  issue.labels.some((label) => names.some((name) => name.toLowerCase() === label.name.toLowerCase()));

/** Oldest first unless ordered, as GitHub's connections are. */
function ordered<T extends Issue>(issues: T[], args: ListArgs): T[] {
  const field = args.orderBy?.field;
  const value = (issue: T): number =>
    field === 'UPDATED_AT' ? issue.updatedAt : field === 'COMMENTS' ? issue.comments.length : issue.createdAt;
  const sign = args.orderBy?.direction === 'DESC' ? -1 : 1;
  return issues.sort((a, b) => sign * (value(a) - value(b) || a.number - b.number));
}

function issues(caller: Caller, repo: Repo, args: ListArgs) {
  demand(caller, repo, ['issues:read']);
  const found = [...repo.issues.values()].filter(
    (issue) =>
      !issue.pull &&
      (args.labels == null || hasLabel(issue, args.labels)) &&
      (args.states == null || args.states.includes(issue.state.toUpperCase())),
  );
  return connection('issues', ordered(found, args), args, (issue) => issueNode(caller, repo, issue));
}

function pulls(caller: Caller, repo: Repo, args: ListArgs) {
  demand(caller, repo, ['pull_requests:read']);
  const state = (issue: PullIssue): string => (issue.pull.merged ? 'MERGED' : issue.state.toUpperCase());
  const found = [...repo.issues.values()].flatMap((issue) => {
    const pull = asPull(issue);
    if (!pull || (args.states != null && !args.states.includes(state(pull)))) return [];
    if (args.labels != null && !hasLabel(issue, args.labels)) return [];
    if (args.headRefName != null && args.headRefName !== pull.pull.headRef) return [];
    return args.baseRefName != null && args.baseRefName !== pull.pull.baseRef ? [] : [pull];
  });
  return connection('pullRequests', ordered(found, args), args, (pull) => pullNode(caller, repo, pull));
}

function one(caller: Caller, repo: Repo, number: number, kind: 'Issue' | 'PullRequest' | 'either'): object {
  const issue = repo.issues.get(number);
  const pull = asPull(issue);
  if (pull && kind !== 'Issue') {
    demand(caller, repo, ['pull_requests:read']);
    return pullNode(caller, repo, pull);
  }
  if (issue && !pull && kind !== 'PullRequest') {
    demand(caller, repo, ['issues:read']);
    return issueNode(caller, repo, issue);
  }
  const what = { Issue: 'an Issue', PullRequest: 'a PullRequest', either: 'an issue or pull request' }[kind];
  throw queryError('NOT_FOUND', `Could not resolve to ${what} with the number of ${number}.`);
}

async function object(repo: Repo, args: { oid?: string | null; expression?: string | null }) {
  const oid = await resolveCommit(repo.git, args.oid ?? args.expression ?? '');
  return oid ? commitNode(repo, oid) : null;
}

async function ref(repo: Repo, name: string): Promise<object | null> {
  for (const full of [name, `refs/heads/${name}`, `refs/tags/${name}`]) {
    const oid = full.startsWith('refs/') ? await repo.git.ref(full) : null;
    if (oid) return refNode(repo, full, oid);
  }
  return null;
}

export function repositoryNode(caller: Caller, repo: Repo): object {
  const { store } = caller;
  return {
    __typename: 'Repository',
    id: repo.nodeId,
    databaseId: repo.id,
    name: repo.name,
    nameWithOwner: `${repo.owner.login}/${repo.name}`,
    owner: actorNode(store, repo.owner),
    isPrivate: repo.private,
    createdAt: iso(repo.createdAt),
    updatedAt: iso(repo.updatedAt),
    pushedAt: iso(repo.pushedAt),
    url: store.urls.repoHtml(repo),
    defaultBranchRef: () => ref(repo, `refs/heads/${repo.defaultBranch}`),
    ref: (args: { qualifiedName: string }) => ref(repo, args.qualifiedName),
    refs: async (args: ConnectionArgs & { refPrefix: string }) =>
      connection('refs', await repo.git.refs(args.refPrefix), args, ({ name, oid }) =>
        refNode(repo, name, oid),
      ),
    object: (args: { oid?: string | null; expression?: string | null }) => object(repo, args),
    label: (args: { name: string }) => {
      const label = findLabel(repo, args.name);
      return label ? labelNode(label) : null;
    },
    issue: (args: { number: number }) => one(caller, repo, args.number, 'Issue'),
    issues: (args: ListArgs) => issues(caller, repo, args),
    pullRequest: (args: { number: number }) => one(caller, repo, args.number, 'PullRequest'),
    pullRequests: (args: ListArgs) => pulls(caller, repo, args),
    issueOrPullRequest: (args: { number: number }) => one(caller, repo, args.number, 'either'),
  };
}
