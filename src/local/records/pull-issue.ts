import type { Issue, Pull } from './issue.ts';

/** An issue that is a pull request. */
export type PullIssue = Issue & { readonly pull: Pull };

/** The pull request behind an issue, or null. */
export const asPull = (issue: Issue | undefined): PullIssue | null =>
  issue?.pull ? (issue as PullIssue) : null;
