import type { Comment, Issue } from '../records/issue.ts';
import { asPull, type PullIssue } from '../records/pull-issue.ts';
import type { Repo } from '../records/repository.ts';

/** Where a comment stands. */
export interface PlacedComment {
  readonly issue: Issue;
  readonly comment: Comment;
}

/**
 * The issues and pull requests of one repository by what they are asked for. Derived from `repo.issues`, never kept: it
 * is built at the first question, takes in new numbers as they come, and is told of the few changes that it cannot see.
 */
class IssueIndex {
  readonly byId = new Map<number, Issue>();
  readonly byPullId = new Map<number, PullIssue>();
  readonly comments = new Map<number, PlacedComment>();
  readonly open = new Set<Issue>();
  readonly openPulls = new Set<PullIssue>();
  readonly #repo: Repo;
  #next = 1;

  constructor(repo: Repo) {
    this.#repo = repo;
  }

  /** Takes in the issues that were made since the last question. */
  catchUp(): this {
    for (; this.#next < this.#repo.nextNumber; this.#next += 1) {
      const issue = this.#repo.issues.get(this.#next);
      if (issue) this.#add(issue);
    }
    return this;
  }

  /** Puts an issue among the open ones, or takes it from there. */
  note(issue: Issue): void {
    const pull = asPull(issue);
    if (issue.state === 'open') {
      this.open.add(issue);
      if (pull) this.openPulls.add(pull);
    } else {
      this.open.delete(issue);
      if (pull) this.openPulls.delete(pull);
    }
  }

  forget(issue: Issue): void {
    this.byId.delete(issue.id);
    this.open.delete(issue);
    for (const comment of issue.comments) this.comments.delete(comment.id);
  }

  #add(issue: Issue): void {
    this.byId.set(issue.id, issue);
    const pull = asPull(issue);
    if (pull) this.byPullId.set(pull.pull.id, pull);
    this.note(issue);
    for (const comment of issue.comments) this.comments.set(comment.id, { issue, comment });
  }
}

const indexes = new WeakMap<Repo, IssueIndex>();

function indexOf(repo: Repo): IssueIndex {
  const index = indexes.get(repo) ?? new IssueIndex(repo);
  indexes.set(repo, index);
  return index.catchUp();
}

/** The issue or pull request of a database id. */
export const issueById = (repo: Repo, id: number): Issue | undefined => indexOf(repo).byId.get(id);

/** The issues of some ids, in their order. Ids of issues that are gone are left out. */
export const issuesOf = (repo: Repo, ids: Iterable<number>): Issue[] =>
  [...ids].flatMap((id) => issueById(repo, id) ?? []);

/** The pull request of its own database id (not that of its issue). */
export const pullById = (repo: Repo, id: number): PullIssue | undefined => indexOf(repo).byPullId.get(id);

export const commentById = (repo: Repo, id: number): PlacedComment | undefined =>
  indexOf(repo).comments.get(id);

/** Every comment with its issue, in no order. */
export const placedComments = (repo: Repo): Iterable<PlacedComment> => indexOf(repo).comments.values();

/** How many issues and pull requests are open. */
export const openCount = (repo: Repo): number => indexOf(repo).open.size;

/** Open pull requests, in the order of their numbers unless some were reopened. */
export const openPulls = (repo: Repo): PullIssue[] => [...indexOf(repo).openPulls];

/** To be called after an issue's state changed. */
export const noteState = (repo: Repo, issue: Issue): void => indexOf(repo).note(issue);

/** To be called after a comment was added. */
export function noteComment(repo: Repo, issue: Issue, comment: Comment): void {
  indexOf(repo).comments.set(comment.id, { issue, comment });
}

/** To be called after a comment was deleted. */
export function noteCommentGone(repo: Repo, comment: Comment): void {
  indexOf(repo).comments.delete(comment.id);
}

/** Takes an issue out of its repository: it was deleted, or lives elsewhere now. */
export function dropIssue(repo: Repo, issue: Issue): void {
  indexOf(repo).forget(issue);
  repo.issues.delete(issue.number);
}
