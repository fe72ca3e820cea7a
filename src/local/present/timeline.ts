import { iso } from '../iso.ts';
import type { Issue, TimelineEvent } from '../records/issue.ts';
import type { Repo } from '../records/repository.ts';
import type { Urls } from '../urls.ts';
import { presentAppOrNull } from './app.ts';
import { presentComment, presentIssue } from './issue.ts';
import { presentReview } from './review.ts';
import { presentUser } from './user.ts';

/** An `issue-event`: `/issues/{n}/events` and most of the timeline. */
export function presentIssueEvent(urls: Urls, repo: Repo, event: TimelineEvent) {
  const commit = event.commitId ?? null;
  return {
    id: event.id,
    node_id: event.nodeId,
    url: `${urls.repoApi(repo)}/issues/events/${event.id}`,
    actor: presentUser(urls, event.actor),
    event: event.event,
    commit_id: commit,
    commit_url: commit ? `${urls.repoApi(repo)}/commits/${commit}` : null,
    created_at: iso(event.createdAt),
    performed_via_github_app: presentAppOrNull(urls, event.app),
    ...(event.label ? { label: event.label } : {}),
    ...(event.rename ? { rename: event.rename } : {}),
    ...(event.stateReason !== undefined ? { state_reason: event.stateReason } : {}),
  };
}

/** One entry of `/issues/{n}/timeline`. */
export function presentTimelineEvent(urls: Urls, repo: Repo, issue: Issue, event: TimelineEvent) {
  if (event.comment)
    return {
      event: 'commented',
      actor: presentUser(urls, event.comment.user),
      ...presentComment(urls, repo, event.comment),
    };
  if (event.review) return { event: 'reviewed', ...presentReview(urls, repo, issue, event.review) };
  if (event.event === 'cross-referenced') {
    const source = repo.issues.get(event.sourceNumber!)!;
    return {
      event: 'cross-referenced',
      actor: presentUser(urls, event.actor),
      created_at: iso(event.createdAt),
      updated_at: iso(event.createdAt),
      source: { type: 'issue', issue: { ...presentIssue(urls, repo, source) } },
    };
  }
  return presentIssueEvent(urls, repo, event);
}
