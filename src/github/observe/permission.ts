import { z } from 'zod';
import type { Actor } from '../../domain/snapshot.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';

const permissionSchema = z.object({ permission: z.string() });

/** Rights that include writing. GitHub folds `maintain` into `write` here; both are taken. */
const writers = ['admin', 'maintain', 'write'];

/** Whether an account may write to the repository now. Apps never count as people who may: always false. */
export async function mayWrite(client: GitHubClient, repo: RepoName, login: string): Promise<boolean> {
  if (login.endsWith('[bot]')) return false;
  const found = await client.find(
    'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
    { ...repoParams(repo), username: login },
    permissionSchema,
  );
  return found !== null && writers.includes(found.permission);
}

/** The actor with its right to write as it is now. */
export async function withPermission(client: GitHubClient, repo: RepoName, actor: Actor): Promise<Actor> {
  const may = actor.kind === 'user' && (await mayWrite(client, repo, actor.login));
  return { ...actor, mayWrite: may };
}
