import { iso, isoOrNull } from '../iso.ts';
import type { App, Installation, Permissions } from '../records/identity.ts';
import type { Urls } from '../urls.ts';
import { presentUser, presentUserOrNull } from './user.ts';

/** `integration` of GitHub's description. */
export function presentApp(urls: Urls, app: App) {
  return {
    id: app.id,
    slug: app.slug,
    client_id: app.clientId,
    node_id: app.nodeId,
    owner: presentUser(urls, app.owner),
    name: app.name,
    description: '',
    external_url: `${urls.html}/apps/${app.slug}`,
    html_url: `${urls.html}/apps/${app.slug}`,
    created_at: iso(app.createdAt),
    updated_at: iso(app.createdAt),
    permissions: withMetadata(app.permissions),
    events: app.events,
  };
}

export const presentAppOrNull = (urls: Urls, app: App | null) => (app ? presentApp(urls, app) : null);

/** Every app may read metadata. */
export const withMetadata = (permissions: Permissions): Permissions => ({ metadata: 'read', ...permissions });

/** `installation` of GitHub's description. */
export function presentInstallation(urls: Urls, installation: Installation) {
  const api = `${urls.api}/app/installations/${installation.id}`;
  return {
    id: installation.id,
    client_id: installation.app.clientId,
    account: presentUser(urls, installation.account),
    repository_selection: installation.repositories === 'all' ? 'all' : 'selected',
    access_tokens_url: `${api}/access_tokens`,
    repositories_url: `${urls.api}/installation/repositories`,
    html_url: `${urls.html}/settings/installations/${installation.id}`,
    app_id: installation.app.id,
    app_slug: installation.app.slug,
    target_id: installation.account.id,
    target_type: installation.account.type,
    permissions: withMetadata(installation.permissions),
    events: installation.events,
    created_at: iso(installation.createdAt),
    updated_at: iso(installation.createdAt),
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: presentUserOrNull(urls, installation.suspendedBy),
    suspended_at: isoOrNull(installation.suspendedAt),
  };
}
