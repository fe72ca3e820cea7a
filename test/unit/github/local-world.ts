import { Octokit } from '@octokit/rest';
import { createAppTokens, personalToken } from '../../../src/github/auth.ts';
import { createGitHubClient, type GitHubClient } from '../../../src/github/client.ts';
import { type AppFacts, findInstallation, observeApp } from '../../../src/github/observe/repository.ts';
import type { RepoName } from '../../../src/github/repo-name.ts';
import type { User } from '../../../src/local/records/identity.ts';
import {
  addCollaborator,
  createApp,
  createUser,
  createUserToken,
  installApp,
} from '../../../src/local/seed.ts';
import { type ActionsWorld, openWorld } from '../local/actions/support/actions-world.ts';
import { manifest } from './manifest.ts';

const silent = { debug: () => undefined, warn: () => undefined };
const octokitSilent = { ...silent, info: () => undefined, error: () => undefined };

/** A local GitHub with Actions, a repository, and the app as app.yml describes it, installed. */
export interface LocalWorld extends ActionsWorld {
  readonly name: RepoName;
  readonly app: AppFacts;
  /** Speaks with the app's own token. */
  readonly appClient: GitHubClient;
  /** Speaks as the app's installation. */
  readonly client: GitHubClient;
  /** Speaks with any other token. */
  clientWith(token: string): GitHubClient;
  /** A person's account: a writer of the repository or somebody from outside. */
  person(login: string, role?: 'write' | 'read'): Person;
}

export interface Person {
  readonly user: User;
  readonly octokit: Octokit;
  readonly client: GitHubClient;
}

export async function openGitHub(): Promise<LocalWorld> {
  const world = await openWorld();
  const { github, owner, repo } = world;
  await world.push({ 'README.md': 'demo\n' });
  const app = createApp(github.store, {
    slug: 'ccd',
    owner,
    permissions: manifest.default_permissions,
    events: manifest.default_events,
  });
  installApp(github.store, app, owner);
  const baseUrl = `${github.url}/api/v3`;
  const clock = { now: () => Date.now(), sleep: async () => undefined };
  const clientOf = (token: () => Promise<string>) =>
    createGitHubClient({
      baseUrl,
      token,
      clock,
      log: silent,
      random: () => 0,
      userAgent: 'ccd-test',
      writeGapMs: 0,
    });
  const tokens = createAppTokens({ appId: app.id, privateKey: app.privateKey, baseUrl, clock, log: silent });
  const name = { owner: owner.login, name: repo.name };
  const appClient = clientOf(() => tokens.app());
  const installation = await findInstallation(appClient, name);
  if (installation === null) throw new Error('the app is not installed');
  const client = clientOf(tokens.installation(installation));
  const clientWith = (token: string) => clientOf(personalToken(token));
  const person = (login: string, role?: 'write' | 'read'): Person => {
    const user = login === owner.login ? owner : createUser(github.store, login);
    if (role !== undefined) addCollaborator(repo, user, role);
    const token = createUserToken(github.store, user);
    return {
      user,
      octokit: new Octokit({ auth: token, baseUrl, log: octokitSilent }),
      client: clientWith(token),
    };
  };
  return { ...world, name, app: await observeApp(appClient, client), appClient, client, clientWith, person };
}

/** The parameters of the repository for plain Octokit. */
export function at(world: LocalWorld): { owner: string; repo: string } {
  return { owner: world.name.owner, repo: world.name.name };
}
