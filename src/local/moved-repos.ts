import type { Repo } from './records/repository.ts';
import { problem, type Reply } from './reply.ts';

/** Where a path leads: to be served as `path`, or at another address of the same server (without mount prefix). */
export type Place =
  | { readonly kind: 'here'; readonly path: string }
  | { readonly kind: 'moved'; readonly path: string };

/**
 * Reads a path of the API: `/repositories/{id}/…` is the repository of that id under its present name; a repository's
 * former name leads there (GitHub documentation, REST, "Best practices", redirects). A name that was given to another
 * repository since is that one's; one that the caller may not see leads nowhere.
 */
export function placeOf(
  repos: Iterable<Repo>,
  path: string,
  isVisible: (repo: Repo) => boolean = () => true,
): Place {
  const byId = /^\/repositories\/(\d+)(\/.*)?$/.exec(path);
  if (byId) {
    const repo = [...repos].find((one) => one.id === Number(byId[1]));
    return { kind: 'here', path: repo ? `${pathOf(repo)}${byId[2] ?? ''}` : path };
  }
  const byName = /^\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(path);
  if (!byName) return { kind: 'here', path };
  const moved = movedTo([...repos], `${decode(byName[1]!)}/${decode(byName[2]!)}`);
  if (!moved || !isVisible(moved)) return { kind: 'here', path };
  return { kind: 'moved', path: `/repositories/${moved.id}${byName[3] ?? ''}` };
}

/** How GitHub sends a caller on to an address: for good, and writes with their method and body kept. */
export function sendOn(method: string, location: string): Reply {
  const isRead = method === 'GET' || method === 'HEAD';
  const { status, body } = problem(isRead ? 301 : 307, isRead ? 'Moved Permanently' : 'Temporary Redirect', {
    url: location,
  });
  return { status, body, headers: { location } };
}

/** The repository that gave up a name (`owner/name`), unless the name is in use; for git and GraphQL, which follow quietly. */
export function movedTo(repos: readonly Repo[], fullName: string): Repo | undefined {
  const wanted = fullName.toLowerCase();
  if (repos.some((one) => nameOf(one) === wanted)) return undefined;
  return repos.find((one) => one.formerNames.has(wanted));
}

/** Gives a repository another name; the old one goes on to lead to it. Who had the new name before loses it for good. */
export function renameRepo(repos: Iterable<Repo>, repo: Repo, name: string): void {
  repo.formerNames.add(nameOf(repo));
  repo.name = name;
  for (const one of repos) one.formerNames.delete(nameOf(repo));
}

const nameOf = (repo: Repo): string => `${repo.owner.login}/${repo.name}`.toLowerCase();

const pathOf = (repo: Repo): string =>
  `/repos/${encodeURIComponent(repo.owner.login)}/${encodeURIComponent(repo.name)}`;

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
