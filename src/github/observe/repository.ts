import { z } from 'zod';
import { type DatabaseId, databaseIdSchema } from '../../domain/ids.ts';
import type { RepositoryFacts } from '../../domain/snapshot.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';

const repositorySchema = z.object({
  id: databaseIdSchema,
  name: z.string(),
  owner: z.object({ login: z.string() }),
  default_branch: z.string().min(1),
});
const idSchema = z.object({ id: databaseIdSchema });

/** The app as it knows itself. */
export interface AppFacts {
  readonly id: DatabaseId;
  readonly slug: string;
  /** Database id of the account `<slug>[bot]`. */
  readonly botId: DatabaseId;
}

/** Reads which app this is. `appClient` speaks with the app's own token, `client` with an installation's. */
export async function observeApp(appClient: GitHubClient, client: GitHubClient): Promise<AppFacts> {
  const app = await appClient.read(
    'GET /app',
    {},
    z.object({ id: databaseIdSchema, slug: z.string().min(1) }),
  );
  const bot = await client.read('GET /users/{username}', { username: `${app.slug}[bot]` }, idSchema);
  return { id: app.id, slug: app.slug, botId: bot.id };
}

/** Reads what identifies a repository, fresh: names and the default branch change. */
export async function observeRepository(
  client: GitHubClient,
  repo: RepoName,
  app: Pick<AppFacts, 'id' | 'botId'>,
): Promise<RepositoryFacts> {
  const found = await client.read('GET /repos/{owner}/{repo}', repoParams(repo), repositorySchema);
  return {
    id: found.id,
    owner: found.owner.login,
    name: found.name,
    trunk: found.default_branch,
    botId: app.botId,
    appId: app.id,
  };
}

/** The app's installation on a repository, or null when it is not installed there. Needs the app's own token. */
export async function findInstallation(appClient: GitHubClient, repo: RepoName): Promise<DatabaseId | null> {
  const found = await appClient.find('GET /repos/{owner}/{repo}/installation', repoParams(repo), idSchema);
  return found?.id ?? null;
}
