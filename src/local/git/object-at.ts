import type { GitObject } from './cat-file.ts';
import type { GitRepository } from './repository.ts';
import { parseTree } from './tree.ts';

/**
 * What stands at a path of a commit, or null. Goes down tree by tree: a name may hold a line feed, which git's own
 * `<commit>:<path>` on a line cannot say, and at one that begins with a dot and a slash git ends.
 */
export async function objectAt(git: GitRepository, commit: string, path: string): Promise<GitObject | null> {
  let object = await git.object(`${commit}^{tree}`);
  for (const name of path === '' ? [] : path.split('/')) {
    if (object?.type !== 'tree') return null;
    const entry = parseTree(object.content).find((one) => one.name === name);
    object = entry === undefined ? null : await git.object(entry.oid);
  }
  return object;
}
