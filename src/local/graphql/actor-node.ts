import type { User } from '../records/identity.ts';
import type { Store } from '../store.ts';

/** A user, bot or organization. GraphQL names bots without the `[bot]` that REST gives them. */
export function actorNode(store: Store, user: User) {
  const login = user.login.replace(/\[bot\]$/, '');
  const path = user.type === 'Bot' ? `/apps/${login}` : `/${login}`;
  return {
    __typename: user.type,
    id: user.nodeId,
    databaseId: user.id,
    login,
    name: user.type === 'Bot' ? null : login,
    email: '',
    avatarUrl: `${store.urls.html}/avatars/u/${user.id}`,
    resourcePath: path,
    url: `${store.urls.html}${path}`,
  };
}

export const actorNodeOrNull = (store: Store, user: User | null) => (user ? actorNode(store, user) : null);
