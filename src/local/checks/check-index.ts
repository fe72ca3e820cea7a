import type { CheckRun, CheckSuite, CommitStatus } from '../records/check.ts';
import type { Repo } from '../records/repository.ts';

interface OnCommit {
  readonly headSha?: string;
  readonly sha?: string;
  readonly id: number;
}

/** One of a repository's lists that only grow, by id and by commit. Derived: it takes in what was added since it was asked last. */
class GrowingList<T extends OnCommit> {
  readonly #list: readonly T[];
  readonly #byId = new Map<number, T>();
  readonly #bySha = new Map<string, T[]>();
  #seen = 0;

  constructor(list: readonly T[]) {
    this.#list = list;
  }

  byId(id: number): T | undefined {
    this.#catchUp();
    return this.#byId.get(id);
  }

  /** Those on one commit, oldest first. */
  on(sha: string): readonly T[] {
    this.#catchUp();
    return this.#bySha.get(sha) ?? [];
  }

  #catchUp(): void {
    for (; this.#seen < this.#list.length; this.#seen += 1) {
      const one = this.#list[this.#seen]!;
      const sha = one.headSha ?? one.sha!;
      this.#byId.set(one.id, one);
      const there = this.#bySha.get(sha);
      if (there) there.push(one);
      else this.#bySha.set(sha, [one]);
    }
  }
}

const lists = new WeakMap<readonly OnCommit[], GrowingList<never>>();

function indexed<T extends OnCommit>(list: readonly T[]): GrowingList<T> {
  const known = lists.get(list) as GrowingList<T> | undefined;
  if (known) return known;
  const index = new GrowingList(list);
  lists.set(list, index as unknown as GrowingList<never>);
  return index;
}

export const checkRunById = (repo: Repo, id: number): CheckRun | undefined =>
  indexed(repo.checkRuns).byId(id);

/** Check runs on one commit, oldest first. */
export const checkRunsOn = (repo: Repo, sha: string): readonly CheckRun[] => indexed(repo.checkRuns).on(sha);

export const checkSuiteById = (repo: Repo, id: number): CheckSuite | undefined =>
  indexed(repo.checkSuites).byId(id);

export const checkSuitesOn = (repo: Repo, sha: string): readonly CheckSuite[] =>
  indexed(repo.checkSuites).on(sha);

/** Runs of one suite, oldest first. */
export const runsOfSuite = (repo: Repo, suite: CheckSuite): CheckRun[] =>
  checkRunsOn(repo, suite.headSha).filter((run) => run.suite === suite);

/** Commit statuses on one commit, oldest first. */
export const statusesOn = (repo: Repo, sha: string): readonly CommitStatus[] =>
  indexed(repo.statuses).on(sha);

/** The newest run of each name in each suite, in the order in which the names first came. */
export function latestRuns(runs: readonly CheckRun[]): CheckRun[] {
  const byKey = new Map(runs.map((run) => [`${run.suite.id} ${run.name}`, run]));
  return [...byKey.values()];
}
