import type { GitObject } from './cat-file.ts';
import { type CommitObject, parseCommitObject } from './commit-object.ts';

/** Where objects are read from: a repository, or a repository and a push that is not judged yet. */
export interface ObjectSource {
  object(revision: string): Promise<GitObject | null>;
}

/** More commits than this are git's own to walk: it reads them faster than they come through a pipe. */
const MAX_WALKED = 2_000;
/** More tips than this to stay clear of: they are read once, and stay in memory. */
const MAX_TIPS = 10_000;
const MAX_KEPT = 20_000;

/** Commits of a history by walking objects that are mostly in memory. Each answer is null where git itself has to be asked. */
export class History {
  readonly #source: ObjectSource;
  readonly #commits = new Map<string, CommitObject>();

  constructor(source: ObjectSource) {
    this.#source = source;
  }

  /** A commit by its id, or null when it is none or cannot be read here. */
  async commit(oid: string): Promise<CommitObject | null> {
    const known = this.#commits.get(oid);
    if (known) return known;
    const object = await this.#source.object(oid);
    const commit = object?.type === 'commit' ? parseCommitObject(object.oid, object.content) : null;
    if (commit) this.#commits.set(oid, commit);
    if (this.#commits.size > MAX_KEPT) this.#commits.delete(this.#commits.keys().next().value!);
    return commit;
  }

  /** True when the first commit can be reached from the second. */
  async isAncestor(ancestor: string, of: string): Promise<boolean | null> {
    const seen = new Set([of]);
    for (const oid of seen) {
      if (oid === ancestor) return true;
      if (seen.size > MAX_WALKED) return null;
      const commit = await this.commit(oid);
      if (commit === null) return null;
      for (const parent of commit.parents) seen.add(parent);
    }
    return false;
  }

  /**
   * Commits that can be reached from `include` and from none of `exclude`, parents before children.
   * Walks by date, newest first, as git does; null when a commit is older than its parent, where that order misleads.
   */
  async between(include: string, exclude: readonly string[]): Promise<CommitObject[] | null> {
    const walk = new DatedWalk();
    const tips = new Set(exclude);
    if (tips.size > MAX_TIPS) return null;
    for (const oid of tips) {
      const tip = await this.#tip(oid);
      if (tip === null) return null;
      if (tip !== 'no-commit') walk.add(tip, false);
    }
    const tip = await this.#tip(include);
    if (tip === null || tip === 'no-commit') return null;
    walk.add(tip, true);
    const most = walk.seen + MAX_WALKED;
    for (let next = walk.next(); next !== null; next = walk.next()) {
      if (walk.seen > most) return null;
      for (const oid of next.commit.parents) {
        const parent = await this.commit(oid);
        if (parent === null || parent.committedAt > next.commit.committedAt) return null;
        walk.add(parent, next.wanted);
      }
    }
    return walk.found();
  }

  /** The commit that a tip names, through tags; null when it cannot be read. */
  async #tip(oid: string): Promise<CommitObject | 'no-commit' | null> {
    const commit = await this.commit(oid);
    if (commit) return commit;
    const object = await this.#source.object(oid);
    if (object?.type === 'tree' || object?.type === 'blob') return 'no-commit';
    const peeled = object?.type === 'tag' ? await this.#source.object(`${oid}^{commit}`) : null;
    return peeled ? parseCommitObject(peeled.oid, peeled.content) : null;
  }
}

interface Step {
  readonly commit: CommitObject;
  /** False once it is known to be reachable from what is excluded. */
  wanted: boolean;
}

class DatedWalk {
  readonly #steps = new Map<string, Step>();
  readonly #wanted = new Set<Step>();
  /** Oldest first: the next one is at the end. */
  readonly #queue: Step[] = [];

  get seen(): number {
    return this.#steps.size;
  }

  add(commit: CommitObject, wanted: boolean): void {
    const known = this.#steps.get(commit.oid);
    if (!known) {
      const step = { commit, wanted };
      this.#steps.set(commit.oid, step);
      if (wanted) this.#wanted.add(step);
      this.#queue.splice(this.#placeOf(commit.committedAt), 0, step);
    } else if (known.wanted && !wanted) {
      known.wanted = false;
      this.#wanted.delete(known);
      // Its parents may have been taken for wanted already: they are walked again.
      if (!this.#queue.includes(known)) this.#queue.splice(this.#placeOf(commit.committedAt), 0, known);
    }
  }

  /** The newest commit not walked yet; null once none that is wanted is left or can still turn out unwanted. */
  next(): Step | null {
    const oldestWanted = this.#oldestWanted();
    const newest = this.#queue.at(-1);
    if (!newest || oldestWanted === null || newest.commit.committedAt < oldestWanted) return null;
    return this.#queue.pop()!;
  }

  found(): CommitObject[] {
    return parentsFirst([...this.#wanted].map((step) => step.commit));
  }

  #oldestWanted(): number | null {
    let oldest: number | null = null;
    for (const { commit } of this.#wanted)
      if (oldest === null || commit.committedAt < oldest) oldest = commit.committedAt;
    return oldest;
  }

  #placeOf(committedAt: number): number {
    let low = 0;
    let high = this.#queue.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#queue[middle]!.commit.committedAt <= committedAt) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Sorts so that each commit comes after those of its parents that are in the list. */
function parentsFirst(commits: readonly CommitObject[]): CommitObject[] {
  const byOid = new Map(commits.map((commit) => [commit.oid, commit]));
  const done = new Set<string>();
  const sorted: CommitObject[] = [];
  for (const start of commits) {
    const stack = [start];
    while (stack.length > 0) {
      const commit = stack.at(-1)!;
      const waiting = commit.parents.flatMap((oid) => (done.has(oid) ? [] : (byOid.get(oid) ?? [])));
      if (waiting.length > 0) {
        stack.push(...waiting);
        continue;
      }
      stack.pop();
      if (!done.has(commit.oid)) sorted.push(commit);
      done.add(commit.oid);
    }
  }
  return sorted;
}
