import { iso, isoOrNull } from '../iso.ts';
import { openPulls } from '../issues/issue-index.ts';
import { asPull, type PullIssue } from '../records/pull-issue.ts';
import type { Repo } from '../records/repository.ts';
import type { Urls } from '../urls.ts';
import { associationOf } from './association.ts';
import { issueHtml } from './issue.ts';
import { presentLabel } from './label.ts';
import { presentRepository } from './repository.ts';
import { presentUser, presentUserOrNull } from './user.ts';

export { asPull, type PullIssue };

/** What git says about a pull request: counted from merge base to head. */
export interface PullCounts {
  readonly commits: number;
  readonly additions: number;
  readonly deletions: number;
  readonly changed_files: number;
}

/** `pull-request-simple` of GitHub's description: what lists hold. */
export function presentPullSimple(urls: Urls, repo: Repo, issue: PullIssue) {
  const { pull } = issue;
  const api = urls.repoApi(repo);
  const links = linksOf(urls, repo, issue);
  return {
    url: links.self,
    id: pull.id,
    node_id: pull.nodeId,
    html_url: links.html,
    diff_url: `${links.html}.diff`,
    patch_url: `${links.html}.patch`,
    issue_url: links.issue,
    number: issue.number,
    state: issue.state,
    locked: issue.locked,
    title: issue.title,
    user: presentUser(urls, issue.user),
    body: issue.body,
    created_at: iso(issue.createdAt),
    updated_at: iso(issue.updatedAt),
    closed_at: isoOrNull(issue.closedAt),
    merged_at: isoOrNull(pull.mergedAt),
    merge_commit_sha: pull.mergeCommitSha,
    assignee: presentUserOrNull(urls, issue.assignees[0] ?? null),
    assignees: issue.assignees.map((user) => presentUser(urls, user)),
    requested_reviewers: [],
    requested_teams: [],
    labels: issue.labels.map((label) => presentLabel(urls, repo, label)),
    milestone: null,
    draft: pull.draft,
    commits_url: links.commits,
    review_comments_url: links.review_comments,
    review_comment_url: links.review_comment,
    comments_url: links.comments,
    statuses_url: `${api}/statuses/${pull.headSha}`,
    head: presentEnd(urls, repo, pull.headRef, pull.headSha),
    base: presentEnd(urls, repo, pull.baseRef, pull.baseSha),
    _links: Object.fromEntries(Object.entries(links).map(([name, href]) => [name, { href }])),
    author_association: associationOf(repo, issue.user),
    auto_merge: null,
    active_lock_reason: issue.lockReason,
  };
}

/** `pull-request` of GitHub's description. */
export function presentPull(
  urls: Urls,
  repo: Repo,
  issue: PullIssue,
  counts: PullCounts,
  mergeable: boolean | null,
) {
  const { pull } = issue;
  const blocked = pull.draft ? 'draft' : mergeable ? 'clean' : 'dirty';
  return {
    ...presentPullSimple(urls, repo, issue),
    merged: pull.merged,
    mergeable,
    rebaseable: null,
    mergeable_state: mergeable === null ? 'unknown' : blocked,
    merged_by: presentUserOrNull(urls, pull.mergedBy),
    comments: issue.comments.length,
    review_comments: 0,
    maintainer_can_modify: false,
    ...counts,
  };
}

function linksOf(urls: Urls, repo: Repo, issue: PullIssue) {
  const api = urls.repoApi(repo);
  const self = `${api}/pulls/${issue.number}`;
  return {
    self,
    html: issueHtml(urls, repo, issue),
    issue: `${api}/issues/${issue.number}`,
    comments: `${api}/issues/${issue.number}/comments`,
    review_comments: `${self}/comments`,
    review_comment: `${api}/pulls/comments{/number}`,
    commits: `${self}/commits`,
    statuses: `${api}/statuses/${issue.pull.headSha}`,
  };
}

const presentEnd = (urls: Urls, repo: Repo, ref: string, sha: string) => ({
  label: `${repo.owner.login}:${ref}`,
  ref,
  sha,
  user: presentUser(urls, repo.owner),
  repo: presentRepository(urls, repo),
});

/** `pull-request-minimal`: what check runs and workflow runs carry. */
export function presentPullMinimal(urls: Urls, repo: Repo, issue: PullIssue) {
  const small = { id: repo.id, url: urls.repoApi(repo), name: repo.name };
  const { pull } = issue;
  return {
    id: pull.id,
    number: issue.number,
    url: `${urls.repoApi(repo)}/pulls/${issue.number}`,
    head: { ref: pull.headRef, sha: pull.headSha, repo: small },
    base: { ref: pull.baseRef, sha: pull.baseSha, repo: small },
  };
}

/** Open pull requests whose head is a commit. */
export const pullsWithHead = (repo: Repo, sha: string): PullIssue[] =>
  openPulls(repo).filter((issue) => issue.pull.headSha === sha);
