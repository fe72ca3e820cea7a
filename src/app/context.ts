import type { Digest } from '../domain/digest.ts';
import type { DatabaseId, Oid } from '../domain/ids.ts';
import type { ObservedComment } from '../domain/snapshot.ts';
import type { Verdict } from '../domain/verdict.ts';
import type { Clone } from '../git/bare-clone.ts';
import type { GitHubClient } from '../github/client.ts';
import type { AppFacts } from '../github/observe/repository.ts';
import type { RepoName } from '../github/repo-name.ts';
import type { Clock } from '../host/clock.ts';
import type { Log } from '../host/log.ts';
import type { StaticJudge } from './compute/static-judge.ts';

/** What outlives one pass in memory: caches and high-water marks only, all of it may be lost at any moment. */
export interface Memory {
  /** Verdicts with the text of their findings, by key digest; a missing one is judged again from git and facts. */
  readonly verdicts: Map<Digest, Verdict>;
  /** Where state and trunk were last seen, so that a move backwards is noticed. */
  stateHead: Oid | null;
  trunk: Oid | null;
  /** True once the runs of the worker were compared with the state. */
  runsSeen: boolean;
  /** State commit named by a landed build that the state was seen to hold. */
  witness: Oid | null;
  /** Rights by account name, with the instant at which they were read. */
  readonly rights: Map<string, { readonly mayWrite: boolean; readonly at: number }>;
  /** Newest change of a comment that was read: where the next scan for commands begins. */
  commentsSeenUntil: string | null;
  /** Artifacts that the storage would not deliver, by id, with the instant of the first look and the number of looks. */
  readonly undelivered: Map<DatabaseId, { readonly since: number; readonly looks: number }>;
  /** Comments of the app that the scan showed and that were not told yet to be the only ones of their kind, by id. */
  readonly ownComments: Map<DatabaseId, OwnComment>;
}

/** `looks`: how often it was found doubled and stood all the same. */
export interface OwnComment extends ObservedComment {
  readonly looks: number;
}

/** Everything that the passes over one repository need of the outside. */
export interface RepositoryContext {
  readonly name: RepoName;
  readonly client: GitHubClient;
  readonly clone: Clone;
  readonly app: AppFacts;
  readonly clock: Clock;
  readonly log: Log;
  /** Name of this process among several: it marks intents. */
  readonly instance: string;
  readonly takeoverMs: number;
  readonly judge: StaticJudge;
  /** Folder for throw-away files of computations. */
  readonly workDir: string;
  readonly memory: Memory;
  /** Called at named points around every write, so that a test can kill the process there. */
  readonly checkpoint: (name: string) => Promise<void>;
}

export function newMemory(): Memory {
  return {
    verdicts: new Map(),
    rights: new Map(),
    stateHead: null,
    trunk: null,
    runsSeen: false,
    witness: null,
    commentsSeenUntil: null,
    ownComments: new Map(),
    undelivered: new Map(),
  };
}

/** Largest artifact that is downloaded, in bytes. */
export const maxArtifactBytes = 100 * 1024 * 1024;

export type RunId = DatabaseId;
