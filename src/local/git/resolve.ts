import { isOid } from './oid.ts';
import type { GitRepository } from './repository.ts';

/**
 * The commit that a REST parameter means: oid (or its start of 7+ digits), branch, tag, or `heads/x`, `tags/x`. A whole id
 * means what it names before any ref, as for git (gitrevisions, `<sha1>`).
 */
export async function resolveCommit(git: GitRepository, text: string): Promise<string | null> {
  const named = isOid(text) ? await peel(git, text) : null;
  if (named !== null) return named;
  for (const name of [`refs/heads/${text}`, `refs/tags/${text}`, `refs/${text}`, text]) {
    if (!name.startsWith('refs/')) continue;
    const oid = await git.ref(name);
    if (oid) return peel(git, oid);
  }
  return /^[0-9a-f]{7,39}$/.test(text) ? peel(git, text) : null;
}

async function peel(git: GitRepository, oid: string): Promise<string | null> {
  return (await git.object(`${oid}^{commit}`))?.oid ?? null;
}
