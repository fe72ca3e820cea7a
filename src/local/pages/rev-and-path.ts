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

/** Splits `branch/with/slashes/and/path`: the shortest start that names a commit is the revision. Null when none does. */
export async function revAndPath(git: GitRepository, text: string): Promise<Place | null> {
  const parts = text.replace(/\/+$/, '').split('/');
  for (let length = 1; length <= parts.length; length += 1) {
    const rev = parts.slice(0, length).join('/');
    const commit = await resolveCommit(git, rev);
    if (commit !== null) return { rev, commit, path: parts.slice(length).join('/') };
  }
  return null;
}
