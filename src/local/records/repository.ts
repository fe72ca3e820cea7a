import type { GitRepository } from '../git/repository.ts';
import type { CheckRun, CheckSuite, CommitStatus } from './check.ts';
import type { Role, User } from './identity.ts';
import type { Issue, Label } from './issue.ts';
import type { Ruleset } from './ruleset.ts';

/** One repository: its records here, its objects and refs in the bare git repository behind `git`. */
export interface Repo {
  readonly id: number;
  readonly nodeId: string;
  readonly owner: User;
  name: string;
  description: string | null;
  private: boolean;
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
  readonly rulesets: Map<number, Ruleset>;
  readonly checkSuites: CheckSuite[];
  readonly checkRuns: CheckRun[];
  readonly statuses: CommitStatus[];
  /** Actions variables and secrets, set in-process. */
  readonly variables: Map<string, string>;
  readonly secrets: Map<string, string>;
}
