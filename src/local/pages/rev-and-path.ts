import type { GitRepository } from '../git/repository.ts';
import { resolveCommit } from '../git/resolve.ts';

/** A place in a repository, as `/tree/` and `/blob/` name it. */
export interface Place {
  /** Branch, tag or commit, as it was written. */
  readonly rev: string;
  readonly commit: string;
  /** Empty for the root. */
  readonly path: string;
}

/** Nobody's branch has a longer name, and each start is looked up. */
const MAX_REV = 1024;

/** Splits `branch/with/slashes/and/path`: the shortest start that names a commit is the revision. Null when none does. */
export async function revAndPath(git: GitRepository, text: string): Promise<Place | null> {
  const parts = text.replace(/\/+$/, '').split('/');
  for (let length = 1; length <= parts.length; length += 1) {
    const rev = parts.slice(0, length).join('/');
    if (rev.length > MAX_REV) return null;
    const commit = await resolveCommit(git, rev);
    if (commit !== null) return { rev, commit, path: parts.slice(length).join('/') };
  }
  return null;
}
