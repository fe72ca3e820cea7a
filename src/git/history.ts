import { type Oid, oidSchema } from '../domain/ids.ts';
import type { Clone } from './bare-clone.ts';
import type { Commit } from './commit-text.ts';
import { impossibleAnswer } from './impossible.ts';
import { parseRawDiff } from './net-change.ts';
import { gitFault } from './run-git.ts';

/**
 * Commits of the first-parent chain, newest first, from `from` down to but without `until` (null: to the root), at most
 * `limit`. `reached` is false when the limit or the root came before `until`.
 */
export async function firstParents(
  clone: Clone,
  from: Oid,
  until: Oid | null,
  limit: number,
): Promise<{ readonly commits: readonly Commit[]; readonly reached: boolean }> {
  const commits: Commit[] = [];
  let at: Oid | undefined = from;
  while (at !== undefined && at !== until && commits.length < limit) {
    const commit: Commit = await clone.objects.readCommit(at);
    commits.push(commit);
    at = commit.parents[0];
  }
  return { commits, reached: at === until || (until === null && at === undefined) };
}

/** Is `ancestor` in the history of `descendant`? A commit is its own ancestor; a commit that is not there is nobody's. */
export async function isAncestor(clone: Clone, ancestor: Oid, descendant: Oid): Promise<boolean> {
  if (!(await clone.objects.exists(ancestor)) || !(await clone.objects.exists(descendant))) return false;
  const call = {
    args: ['merge-base', '--is-ancestor', oidSchema.parse(ancestor), oidSchema.parse(descendant)],
  };
  const end = await clone.run(call);
  if (end.kind === 'exited' && end.code <= 1) return end.code === 0;
  throw gitFault(call, end);
}

/** The best common ancestors of two commits: none for unrelated ones, several after merges across. */
export async function mergeBases(clone: Clone, left: Oid, right: Oid): Promise<readonly Oid[]> {
  const call = { args: ['merge-base', '--all', oidSchema.parse(left), oidSchema.parse(right)] };
  const end = await clone.run(call);
  if (end.kind === 'stopped' || end.code > 1) throw gitFault(call, end);
  const lines = end.stdout.toString('utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => oidSchema.parse(line));
}

/** The one best common ancestor of two commits; null when they are unrelated, or when there are several as good. */
export async function mergeBase(clone: Clone, left: Oid, right: Oid): Promise<Oid | null> {
  const bases = await mergeBases(clone, left, right);
  return bases.length === 1 ? (bases[0] ?? null) : null;
}

/** A version that trunk has left behind: `oid` null means that the path was not there. */
export interface LeftVersion {
  readonly oid: Oid | null;
  /** The first-parent commit that replaced it. */
  readonly leftBy: Oid;
}

/**
 * For each of the paths, the versions that trunk has left within its last `limit` first-parent commits, newest departure
 * first: what a change must not bring back unawares. Paths that did not change there are absent.
 */
export async function blobHistory(
  clone: Clone,
  trunk: Oid,
  paths: readonly string[],
  limit: number,
): Promise<ReadonlyMap<string, readonly LeftVersion[]>> {
  const wanted = new Set(paths);
  const history = new Map<string, LeftVersion[]>();
  const { commits } = await firstParents(clone, trunk, null, limit);
  for (const { oid, changes } of await changesOf(clone, commits)) {
    for (const { path, before } of changes) {
      if (!wanted.has(path)) continue;
      const versions = history.get(path) ?? [];
      versions.push({ oid: before?.oid ?? null, leftBy: oid });
      history.set(path, versions);
    }
  }
  return history;
}

/** What each commit changed against its first parent, by one process; the pairs are handed in as trees. */
async function changesOf(clone: Clone, commits: readonly Commit[]) {
  const pairs: { oid: Oid; before: Oid; after: Oid }[] = [];
  for (const [index, commit] of commits.entries()) {
    const first = commit.parents[0];
    if (first === undefined) continue;
    const before = commits[index + 1]?.tree ?? (await clone.objects.readCommit(first)).tree;
    if (before !== commit.tree) pairs.push({ oid: commit.oid, before, after: commit.tree });
  }
  if (pairs.length === 0) return [];
  const call = {
    args: ['diff-tree', '--stdin', '-r', '-z', '--raw', '--no-renames', '--no-abbrev'],
    input: pairs.map(({ before, after }) => `${before} ${after}\n`).join(''),
  };
  const end = await clone.run(call);
  if (end.kind === 'stopped' || end.code !== 0) throw gitFault(call, end);
  return splitByPair(end.stdout, pairs);
}

/**
 * With two trees on a line, git prints that line again before their difference. Read strictly in order, entry by entry: a
 * path may hold any text, also one that looks like such a line.
 */
function splitByPair(bytes: Buffer, pairs: readonly { oid: Oid; before: Oid; after: Oid }[]) {
  let at = 0;
  return pairs.map(({ oid, before, after }) => {
    const line = `${before} ${after}\n`;
    if (bytes.toString('latin1', at, at + line.length) !== line)
      throw impossibleAnswer('diff-tree out of order');
    const start = at + line.length;
    at = start;
    while (bytes[at] === colon) at = bytes.indexOf(0, bytes.indexOf(0, at) + 1) + 1;
    return { oid, changes: parseRawDiff(bytes.subarray(start, at)) };
  });
}

const colon = 0x3a;
