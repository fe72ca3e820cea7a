/** A repository as the API addresses it. `RepositoryFacts` of the snapshot fits. */
export interface RepoName {
  readonly owner: string;
  readonly name: string;
}

/** The path parameters `{owner}` and `{repo}` of every repository operation. */
export function repoParams(repo: RepoName): { owner: string; repo: string } {
  return { owner: repo.owner, repo: repo.name };
}
