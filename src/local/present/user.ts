import type { User } from '../records/identity.ts';
import type { Urls } from '../urls.ts';

/** `simple-user` of GitHub's description. */
export function presentUser(urls: Urls, user: User) {
  const login = encodeURIComponent(user.login);
  const api = `${urls.api}/users/${login}`;
  return {
    login: user.login,
    id: user.id,
    node_id: user.nodeId,
    avatar_url: `${urls.html}/avatars/u/${user.id}`,
    gravatar_id: '',
    url: api,
    html_url:
      user.type === 'Bot' ? `${urls.html}/apps/${login.replace('%5Bbot%5D', '')}` : `${urls.html}/${login}`,
    followers_url: `${api}/followers`,
    following_url: `${api}/following{/other_user}`,
    gists_url: `${api}/gists{/gist_id}`,
    starred_url: `${api}/starred{/owner}{/repo}`,
    subscriptions_url: `${api}/subscriptions`,
    organizations_url: `${api}/orgs`,
    repos_url: `${api}/repos`,
    events_url: `${api}/events{/privacy}`,
    received_events_url: `${api}/received_events`,
    type: user.type,
    user_view_type: 'public',
    site_admin: false,
  };
}

/** `simple-user` or null. */
export const presentUserOrNull = (urls: Urls, user: User | null) => (user ? presentUser(urls, user) : null);

/** `organization-simple`: what webhooks carry when the repository belongs to an organization. */
export function presentOrganization(urls: Urls, user: User) {
  const api = `${urls.api}/orgs/${encodeURIComponent(user.login)}`;
  return {
    login: user.login,
    id: user.id,
    node_id: user.nodeId,
    url: api,
    repos_url: `${api}/repos`,
    events_url: `${api}/events`,
    hooks_url: `${api}/hooks`,
    issues_url: `${api}/issues`,
    members_url: `${api}/members{/member}`,
    public_members_url: `${api}/public_members{/member}`,
    avatar_url: `${urls.html}/avatars/u/${user.id}`,
    description: '',
  };
}
