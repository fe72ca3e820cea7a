import { iso } from '../iso.ts';
import type { Issue, Review } from '../records/issue.ts';
import type { Repo } from '../records/repository.ts';
import type { Urls } from '../urls.ts';
import { associationOf } from './association.ts';
import { issueHtml } from './issue.ts';
import { presentUser } from './user.ts';

/** `pull-request-review` of GitHub's description. */
export function presentReview(urls: Urls, repo: Repo, issue: Issue, review: Review) {
  const html = `${issueHtml(urls, repo, issue)}#pullrequestreview-${review.id}`;
  const pull = `${urls.repoApi(repo)}/pulls/${issue.number}`;
  return {
    id: review.id,
    node_id: review.nodeId,
    user: presentUser(urls, review.user),
    body: review.body,
    state: review.state,
    html_url: html,
    pull_request_url: pull,
    author_association: associationOf(repo, review.user),
    _links: { html: { href: html }, pull_request: { href: pull } },
    submitted_at: iso(review.submittedAt),
    commit_id: review.commitId,
  };
}
