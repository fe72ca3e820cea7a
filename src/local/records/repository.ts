import type { GitRepository } from '../git/repository.ts';
import type { CheckRun, CheckSuite, CommitStatus } from './check.ts';
import type { Role, User } from './identity.ts';
import type { Issue, Label } from './issue.ts';
import type { Ruleset } from './ruleset.ts';

/** Deleted for good, or at home in another repository under a new number. */
export type FormerIssue =
  | { readonly kind: 'deleted' }
  | { readonly kind: 'transferred'; readonly repositoryId: number; readonly number: number };

/** One repository: its records here, its objects and refs in the bare git repository behind `git`. */
export interface Repo {
  readonly id: number;
  readonly nodeId: string;
  readonly owner: User;
  name: string;
  description: string | null;
  private: boolean;
  /** Read-only: everything but administration is refused. */
  archived: boolean;
  /** `owner/name` in lower case that it had before: GitHub sends callers on. */
  readonly formerNames: Set<string>;
  /** Branch name that HEAD names. */
  defaultBranch: string;
  readonly createdAt: number;
  updatedAt: number;
  pushedAt: number;
  readonly git: GitRepository;
  readonly collaborators: Map<number, Role>;
  readonly labels: Label[];
  /** Issues and pull requests by their shared number. */
  readonly issues: Map<number, Issue>;
  nextNumber: number;
  /** What became of issues that are here no more, by the number that they had. */
  readonly formerIssues: Map<number, FormerIssue>;
  readonly rulesets: Map<number, Ruleset>;
  readonly checkSuites: CheckSuite[];
  readonly checkRuns: CheckRun[];
  readonly statuses: CommitStatus[];
  /** Actions variables and secrets, set in-process. */
  readonly variables: Map<string, string>;
  readonly secrets: Map<string, string>;
}
