import type { Octokit } from '@octokit/rest';

/** Who asks. `app` is an App by its installation on the repository, `jwt` the same App by its key alone. */
export type Role = 'owner' | 'writer' | 'reader' | 'app' | 'jwt' | 'anonymous';

/** What a behaviour needs beside a repository and its owner. Each is a reason why some target cannot show it. */
export const NEEDS = {
  app: 'an App that is installed on the repository',
  'own app': 'an App whose installation may be suspended and whose tokens may be used up',
  'second account': 'a second account',
  'job token': 'a workflow’s token, which exists only inside a run',
  'second repository': 'a second repository of the same owner',
  'much content': 'more issues and comments than may be created in a minute',
  'own clock': 'a clock that can be set',
  redirects: 'a server that sends callers of a former name on',
} as const;
export type Need = keyof typeof NEEDS;

export interface Shell {
  readonly code: number;
  readonly out: string;
}

/** A GitHub that behaviours are shown on, with one repository whose default branch `main` holds `a.txt` and `src/b.txt`. */
export interface Target {
  readonly owner: string;
  readonly repo: string;
  /** Parameters that name the repository. */
  readonly at: { readonly owner: string; readonly repo: string };
  as(role: Role): Octokit;
  /** A client with a token of one's own. */
  asToken(token: string): Octokit;
  /** Id of the App behind `app`. */
  readonly appId: number;
  readonly installationId: number;
  /** One request as it goes over the wire; redirects are not followed. `path` begins with a slash. */
  ask(
    path: string,
    init?: { role?: Role; token?: string; method?: string; body?: unknown; headers?: object },
  ): Promise<Response>;
  /** Token of a role that has one. */
  token(role: 'owner' | 'writer' | 'reader' | 'app'): Promise<string>;
  /** Token of a workflow's job, with these permissions. Needs `job token`. */
  jobToken(permissions: Record<string, 'read' | 'write'>): string;
  /** Name of another repository of the owner, empty of issues. Needs `second repository`. */
  otherRepository(): Promise<string>;
  /** Moves the clock on. Needs `own clock`. */
  pass(milliseconds: number): void;
  /** Address for git with a token. */
  gitUrl(token: string): string;
  /** Runs a script in the work tree of a clone whose `origin` is the repository, as its owner. */
  git(script: string): Promise<Shell>;
  /**
   * Commits files (null removes one) on top of a branch or commit of the repository, `main` unless given, and pushes that
   * as `branch`, by force. Answers the commit.
   */
  push(
    branch: string,
    files: Readonly<Record<string, string | Buffer | null>>,
    options?: { readonly from?: string; readonly message?: string },
  ): Promise<string>;
  /** Oid of a ref, or null. */
  ref(name: string): Promise<string | null>;
  /** Resolves once what was set off has been carried out, deliveries too. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** A way to get a target. */
export interface Opener {
  readonly name: string;
  /** What this target cannot give. */
  readonly lacks: ReadonlySet<Need>;
  open(area: string): Promise<Target>;
}
