import { ZERO_OID } from '../../git/oid.ts';
import type { Repo } from '../../records/repository.ts';

async function lines(repo: Repo, args: readonly string[], separator: string): Promise<string[] | null> {
  const { code, stdout } = await repo.git.run(args);
  return code === 0
    ? stdout
        .toString('utf8')
        .split(separator)
        .filter((line) => line !== '')
    : null;
}

/** Paths that a push changed: against what the branch was, or, for a new branch, against where it left the default one. */
export async function pushedPaths(repo: Repo, before: string, after: string): Promise<string[]> {
  let base: string | null = before;
  if (before === ZERO_OID) {
    const trunk = `refs/heads/${repo.defaultBranch}`;
    const found = await lines(repo, ['merge-base', trunk, after], '\n');
    base = found?.[0] ?? null;
    if (base === after)
      base = (await lines(repo, ['rev-parse', '--verify', '-q', `${after}^`], '\n'))?.[0] ?? null;
  }
  if (base === null) return (await lines(repo, ['ls-tree', '-r', '-z', '--name-only', after], '\0')) ?? [];
  return (await lines(repo, ['diff', '--name-only', '-z', base, after], '\0')) ?? [];
}

/** Paths that a pull request changes, from the merge base to its head. */
export async function pullPaths(repo: Repo, base: string, head: string): Promise<string[]> {
  return (await lines(repo, ['diff', '--name-only', '-z', `${base}...${head}`], '\0')) ?? [];
}
