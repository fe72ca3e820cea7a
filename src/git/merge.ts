import { type Oid, oidSchema } from '../domain/ids.ts';
import type { Clone } from './bare-clone.ts';
import type { Person } from './commit-text.ts';
import { mergeBases } from './history.ts';
import { impossibleAnswer } from './impossible.ts';
import { netChange, splitAtNul } from './net-change.ts';
import { gitFault } from './run-git.ts';
import { commitTree } from './write-objects.ts';

export interface MergePlan {
  /** First parent of the build: where trunk stands. */
  readonly base: Oid;
  /** Members' candidates, in the order in which they are merged. */
  readonly candidates: readonly Oid[];
  readonly message: string;
  /** Seconds since the epoch, from recorded state. */
  readonly date: number;
}

export type MergeResult =
  | { readonly kind: 'built'; readonly commit: Oid; readonly tree: Oid }
  /** Both sides changed these paths, or the change would come out at these, which its author did not touch. */
  | { readonly kind: 'conflict'; readonly candidate: Oid; readonly paths: readonly string[] }
  /** The candidate shares no history with the base. */
  | { readonly kind: 'unrelated'; readonly candidate: Oid };

const builder: Person = { name: 'ccd', email: 'ccd@users.noreply.github.com' };

/**
 * Merges the candidates onto the base one after the other and writes one merge commit: first parent the base, then the
 * candidates in order. The same plan gives the same commit. Only objects are written, no ref.
 */
export async function mergeCandidates(clone: Clone, plan: MergePlan): Promise<MergeResult> {
  const base = await clone.objects.readCommit(plan.base);
  let tree = base.tree;
  let merged = plan.base;
  for (const candidate of plan.candidates) {
    const step = await mergeTwo(clone, merged, candidate);
    if (step === null) return { kind: 'unrelated', candidate };
    const paths =
      step.paths.length > 0 ? step.paths : await surplusPaths(clone, merged, candidate, step.tree);
    if (paths.length > 0) return { kind: 'conflict', candidate, paths };
    tree = step.tree;
    // A stepping stone: gives the next merge its true ancestors, and is reachable from nothing afterwards.
    merged = await writeCommit(clone, tree, [merged, candidate], 'step', plan.date);
  }
  const commit = await writeCommit(clone, tree, [plan.base, ...plan.candidates], plan.message, plan.date);
  return { kind: 'built', commit, tree };
}

export interface RebasePlan {
  /** Commit or tree whose difference from `oldBase` is the change. */
  readonly candidate: Oid;
  readonly oldBase: Oid;
  readonly newBase: Oid;
}

/** `conflict`: `tree` holds the files, with markers where both sides changed one, for the agent to see. */
export type RebaseResult =
  | { readonly kind: 'rebased'; readonly tree: Oid }
  | { readonly kind: 'conflict'; readonly tree: Oid; readonly paths: readonly string[] };

/**
 * The candidate's change made on another base: a three-way merge with exactly the old base as the common ancestor,
 * whatever history says. Copying the tree instead would revert what landed meanwhile.
 */
export async function rebaseChange(clone: Clone, plan: RebasePlan): Promise<RebaseResult> {
  const root = await writeCommit(clone, await treeOf(clone, plan.oldBase), [], 'ancestor', 0);
  const ours = await writeCommit(clone, await treeOf(clone, plan.newBase), [root], 'ours', 0);
  const theirs = await writeCommit(clone, await treeOf(clone, plan.candidate), [root], 'theirs', 0);
  const merged = await mergeTwo(clone, ours, theirs);
  if (merged === null) throw impossibleAnswer('two children of one commit share no history');
  const { tree } = merged;
  const paths = merged.paths.length > 0 ? merged.paths : await surplusPaths(clone, ours, theirs, tree);
  return paths.length === 0 ? { kind: 'rebased', tree } : { kind: 'conflict', tree, paths };
}

/** Tree of a commit; a tree stands for itself. */
export async function treeOf(clone: Clone, oid: Oid): Promise<Oid> {
  const info = await clone.objects.info(oid);
  return info?.kind === 'tree' ? oid : (await clone.objects.readCommit(oid)).tree;
}

async function mergeTwo(
  clone: Clone,
  ours: Oid,
  theirs: Oid,
): Promise<{ tree: Oid; paths: string[] } | null> {
  const call = { args: ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs] };
  const end = await clone.run(call);
  if (end.kind === 'exited' && end.code > 1 && /unrelated histories/.test(end.stderr)) return null;
  if (end.kind === 'stopped' || end.code > 1) throw gitFault(call, end);
  const [tree, ...paths] = splitAtNul(end.stdout).map((part) => part.toString('utf8'));
  // Exit 1 without a conflicting path would be a refusal in a form that we do not know: never a clean merge.
  if (end.code === 1 && paths.length === 0) throw gitFault(call, end);
  return { tree: oidSchema.parse(tree), paths: [...new Set(paths)] };
}

/**
 * Paths in which the merged tree differs from ours although the other side did not change them. git follows renames, also
 * of folders: an edit can come out in a file that its author never touched, and nobody judged it there.
 */
async function surplusPaths(clone: Clone, ours: Oid, theirs: Oid, merged: Oid): Promise<string[]> {
  const touched = new Set<string>();
  for (const base of await mergeBases(clone, ours, theirs)) {
    for (const { path } of await netChange(clone, base, theirs)) touched.add(path);
  }
  return (await netChange(clone, ours, merged)).map(({ path }) => path).filter((path) => !touched.has(path));
}

async function writeCommit(
  clone: Clone,
  tree: Oid,
  parents: readonly Oid[],
  message: string,
  date: number,
): Promise<Oid> {
  return await commitTree(clone.dir, { tree, parents, message, date, person: builder });
}
