import { iso, isoOrNull } from '../iso.ts';
import { issueById, issuesOf } from '../issues/issue-index.ts';
import type { Comment, Issue } from '../records/issue.ts';
import type { Repo } from '../records/repository.ts';
import type { Urls } from '../urls.ts';
import { presentAppOrNull } from './app.ts';
import { associationOf } from './association.ts';
import { presentLabel } from './label.ts';
import { noReactions } from './reactions.ts';
import { presentUser, presentUserOrNull } from './user.ts';

export const issueHtml = (urls: Urls, repo: Repo, issue: Issue): string =>
  `${urls.repoHtml(repo)}/${issue.pull ? 'pull' : 'issues'}/${issue.number}`;

/** `issue` of GitHub's description; pull requests carry `pull_request` and `draft`. */
export function presentIssue(urls: Urls, repo: Repo, issue: Issue) {
  const api = `${urls.repoApi(repo)}/issues/${issue.number}`;
  return {
    url: api,
    repository_url: urls.repoApi(repo),
    labels_url: `${api}/labels{/name}`,
    comments_url: `${api}/comments`,
    events_url: `${api}/events`,
    timeline_url: `${api}/timeline`,
    html_url: issueHtml(urls, repo, issue),
    id: issue.id,
    node_id: issue.pull?.nodeId ?? issue.nodeId,
    number: issue.number,
    title: issue.title,
    user: presentUser(urls, issue.user),
    labels: issue.labels.map((label) => presentLabel(urls, repo, label)),
    state: issue.state,
    locked: issue.locked,
    assignee: presentUserOrNull(urls, issue.assignees[0] ?? null),
    assignees: issue.assignees.map((user) => presentUser(urls, user)),
    milestone: null,
    comments: issue.comments.length,
    created_at: iso(issue.createdAt),
    updated_at: iso(issue.updatedAt),
    closed_at: isoOrNull(issue.closedAt),
    author_association: associationOf(repo, issue.user),
    active_lock_reason: issue.lockReason,
    ...pullPart(urls, repo, issue),
    body: issue.body,
    closed_by: presentUserOrNull(urls, issue.closedBy),
    reactions: noReactions(api),
    performed_via_github_app: presentAppOrNull(urls, issue.app),
    state_reason: issue.stateReason,
    ...(issue.parentId === null ? {} : { parent_issue_url: parentUrl(urls, repo, issue.parentId) }),
    sub_issues_summary: subIssuesSummary(repo, issue),
    issue_dependencies_summary: dependencySummary(repo, issue),
  };
}

function pullPart(urls: Urls, repo: Repo, issue: Issue) {
  if (!issue.pull) return {};
  const html = issueHtml(urls, repo, issue);
  return {
    draft: issue.pull.draft,
    pull_request: {
      url: `${urls.repoApi(repo)}/pulls/${issue.number}`,
      html_url: html,
      diff_url: `${html}.diff`,
      patch_url: `${html}.patch`,
      merged_at: isoOrNull(issue.pull.mergedAt),
    },
  };
}

function subIssuesSummary(repo: Repo, issue: Issue) {
  const total = issue.subIssues.length;
  const completed = issuesOf(repo, issue.subIssues).filter((one) => one.state === 'closed').length;
  return { total, completed, percent_completed: total === 0 ? 0 : Math.floor((100 * completed) / total) };
}

function parentUrl(urls: Urls, repo: Repo, parentId: number): string {
  return `${urls.repoApi(repo)}/issues/${issueById(repo, parentId)!.number}`;
}

function dependencySummary(repo: Repo, issue: Issue) {
  const blockers = issuesOf(repo, issue.blockedBy);
  const blocked = issuesOf(repo, issue.blocking);
  const open = (issues: readonly Issue[]): number => issues.filter((one) => one.state === 'open').length;
  return {
    blocked_by: open(blockers),
    blocking: open(blocked),
    total_blocked_by: blockers.length,
    total_blocking: blocked.length,
  };
}

/** `issue-comment` of GitHub's description. */
export function presentComment(urls: Urls, repo: Repo, comment: Comment) {
  const api = `${urls.repoApi(repo)}/issues/comments/${comment.id}`;
  const issue = repo.issues.get(comment.issueNumber)!;
  return {
    url: api,
    html_url: `${issueHtml(urls, repo, issue)}#issuecomment-${comment.id}`,
    issue_url: `${urls.repoApi(repo)}/issues/${comment.issueNumber}`,
    id: comment.id,
    node_id: comment.nodeId,
    user: presentUser(urls, comment.user),
    created_at: iso(comment.createdAt),
    updated_at: iso(comment.updatedAt),
    body: comment.body,
    author_association: associationOf(repo, comment.user),
    reactions: noReactions(api),
    performed_via_github_app: presentAppOrNull(urls, comment.app),
  };
}
