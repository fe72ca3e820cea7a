import type { Look } from './commit-log.ts';
import type { GitRepository } from './repository.ts';

/** True when the first commit can be reached from the second. */
export async function isAncestor(
  git: GitRepository,
  ancestor: string,
  of: string,
  look: Partial<Look> = {},
): Promise<boolean> {
  const known = await (look.history ?? git.history).isAncestor(ancestor, of);
  if (known !== null) return known;
  const env = look.env ?? {};
  return (await git.run(['merge-base', '--is-ancestor', ancestor, of], { env })).code === 0;
}

/** The best common ancestor of two commits, or null when they share no history. */
export async function mergeBase(git: GitRepository, one: string, other: string): Promise<string | null> {
  if (await isAncestor(git, one, other)) return one;
  if (await isAncestor(git, other, one)) return other;
  return (await git.run(['merge-base', one, other])).stdout.toString('utf8').trim() || null;
}

/** How many commits can be reached from the second and not from the first. */
export async function countBetween(git: GitRepository, from: string, to: string): Promise<number> {
  const walked = await git.history.between(to, [from]);
  if (walked) return walked.length;
  return Number((await git.run(['rev-list', '--count', `${from}..${to}`])).stdout.toString('utf8'));
}
