import type { LoggedCommit, Signature } from '../git/commit-log.ts';
import { nodeId } from '../node-id.ts';
import type { User } from '../records/identity.ts';
import type { Repo } from '../records/repository.ts';
import type { Store } from '../store.ts';
import { presentUserOrNull } from './user.ts';

/** GitHub shows commits in UTC. */
const utc = (date: string): string => `${new Date(date).toISOString().slice(0, 19)}Z`;

const VERIFICATION = {
  verified: false,
  reason: 'unsigned',
  payload: null,
  signature: null,
  verified_at: null,
};

const signature = (one: Signature) => ({ name: one.name, email: one.email, date: utc(one.date) });

/** The account whose address signed a commit, or null. */
export const accountOf = (store: Store, email: string): User | null =>
  [...store.users.values()].find((user) => user.email === email) ?? null;

/** `commit` of GitHub's description. */
export function presentCommit(store: Store, repo: Repo, commit: LoggedCommit) {
  const api = store.urls.repoApi(repo);
  const html = store.urls.repoHtml(repo);
  return {
    sha: commit.oid,
    node_id: nodeId('C', Number.parseInt(commit.oid.slice(0, 12), 16)),
    url: `${api}/commits/${commit.oid}`,
    html_url: `${html}/commit/${commit.oid}`,
    comments_url: `${api}/commits/${commit.oid}/comments`,
    commit: {
      url: `${api}/git/commits/${commit.oid}`,
      author: signature(commit.author),
      committer: signature(commit.committer),
      message: commit.message,
      tree: { sha: commit.tree, url: `${api}/git/trees/${commit.tree}` },
      comment_count: 0,
      verification: VERIFICATION,
    },
    author: presentUserOrNull(store.urls, accountOf(store, commit.author.email)),
    committer: presentUserOrNull(store.urls, accountOf(store, commit.committer.email)),
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${api}/commits/${sha}`,
      html_url: `${html}/commit/${sha}`,
    })),
  };
}

/** `git-commit` of GitHub's description. */
export function presentGitCommit(store: Store, repo: Repo, commit: LoggedCommit) {
  const api = store.urls.repoApi(repo);
  const html = store.urls.repoHtml(repo);
  return {
    sha: commit.oid,
    node_id: nodeId('C', Number.parseInt(commit.oid.slice(0, 12), 16)),
    url: `${api}/git/commits/${commit.oid}`,
    html_url: `${html}/commit/${commit.oid}`,
    author: signature(commit.author),
    committer: signature(commit.committer),
    message: commit.message,
    tree: { sha: commit.tree, url: `${api}/git/trees/${commit.tree}` },
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${api}/git/commits/${sha}`,
      html_url: `${html}/commit/${sha}`,
    })),
    verification: VERIFICATION,
  };
}
