import { z } from 'zod';
import { type DatabaseId, databaseIdSchema } from '../../domain/ids.ts';
import type { GitHubClient } from '../client.ts';
import type { RepoName } from '../repo-name.ts';
import { itemsOf } from './items-of.ts';

const installationSchema = z.object({ id: databaseIdSchema, suspended_at: z.string().nullish() });
const repositorySchema = z.object({ name: z.string(), owner: z.object({ login: z.string() }) });

/** Installations of the app that are not suspended. Needs the app's own token. */
export async function observeInstallations(appClient: GitHubClient): Promise<DatabaseId[]> {
  const pages = appClient.pages('GET /app/installations', {}, z.array(installationSchema));
  const found = await itemsOf(pages, (page) => page.filter((one) => one.suspended_at == null));
  return found.map((one) => one.id);
}

/** Repositories that an installation's token reaches. */
export async function observeInstalledRepositories(client: GitHubClient): Promise<RepoName[]> {
  const schema = z.object({ repositories: z.array(repositorySchema) });
  const found = await itemsOf(
    client.pages('GET /installation/repositories', {}, schema),
    (page) => page.repositories,
  );
  return found.map((one) => ({ owner: one.owner.login, name: one.name }));
}
