import { CcdError } from '../../domain/errors.ts';
import { ZERO_OID } from '../git/oid.ts';
import type { Repo } from '../records/repository.ts';
import { afterMove } from '../refs/after-move.ts';
import type { Store } from '../store.ts';

/**
 * Does what an administrator does who switches the rules off, moves a ref, and switches them on again: sets it back by
 * one commit, or deletes it. Answers what was done; nothing where the ref is not there or has no parent.
 * Throws `local.no-repository` when the repository does not exist.
 */
export async function administratorMoves(
  store: Store,
  how: 'admin-rolls-back' | 'admin-deletes-branch',
  where: { readonly repository: string; readonly ref: string },
): Promise<string | null> {
  const repo = repositoryOf(store, where.repository);
  const { ref } = where;
  return repo.git.lock.run(async () => {
    const before = await repo.git.ref(ref);
    const after =
      how === 'admin-deletes-branch' ? ZERO_OID : before && (await repo.git.object(`${before}^`))?.oid;
    if (!before || !after) return null;
    const step = after === ZERO_OID ? ['-d', ref, before] : [ref, after, before];
    if ((await repo.git.run(['update-ref', ...step])).code !== 0) return null;
    await afterMove(store, repo, { kind: 'user', user: repo.owner }, [
      { ref, before, after, forced: after !== ZERO_OID, commits: [] },
    ]);
    return after === ZERO_OID ? `${ref} deleted` : `${ref} set back from ${before} to ${after}`;
  });
}

function repositoryOf(store: Store, fullName: string): Repo {
  const [owner = '', name = ''] = fullName.split('/');
  const repo = store.repoByName(owner, name);
  if (repo) return repo;
  throw new CcdError({
    code: 'local.no-repository',
    message: `The fault plan names ${fullName}, and this GitHub has no such repository.`,
    remedy: 'Name a repository as owner/name.',
    audience: 'operator',
  });
}
