import { mayInRepo } from './access.ts';
import { authenticate } from './authenticate.ts';
import type { GitObject } from './git/cat-file.ts';
import { moveRefs, type RefOutcome, type RefUpdate } from './refs/move-refs.ts';
import type { Store } from './store.ts';

/** A push as a value: new objects, and the refs that are to move. */
export interface InProcessPush {
  readonly token: string;
  readonly owner: string;
  readonly repo: string;
  readonly objects: readonly { readonly type: GitObject['type']; readonly content: Buffer }[];
  readonly updates: readonly RefUpdate[];
  readonly atomic: boolean;
}

/**
 * Pushes without a socket and without starting git, judged where every push is judged. Objects of a refused push stay,
 * reachable from nothing. `denied` when the token may not write there or the repository does not exist for it.
 */
export async function pushInProcess(
  store: Store,
  push: InProcessPush,
): Promise<{ readonly kind: 'denied' } | { readonly kind: 'judged'; readonly refs: readonly RefOutcome[] }> {
  const auth = authenticate(store, `Bearer ${push.token}`);
  const repo = store.repoByName(push.owner, push.repo);
  if (auth.kind === 'refused' || !repo || !mayInRepo(auth.principal, repo, ['contents:write']))
    return { kind: 'denied' };
  for (const { type, content } of push.objects) repo.git.write(type, content);
  return {
    kind: 'judged',
    refs: await moveRefs(store, repo, auth.principal, push.updates, { atomic: push.atomic }),
  };
}
