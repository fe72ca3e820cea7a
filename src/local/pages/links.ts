import type { Issue } from '../records/issue.ts';
import type { Repo } from '../records/repository.ts';

/** Encodes a name with slashes (branch, path) for an address, slashes kept. Half a surrogate pair would throw. */
const encodePath = (path: string): string =>
  path
    .replace(/[\ud800-\udfff]/gu, '\ufffd')
    .split('/')
    .map(encodeURIComponent)
    .join('/');

/** Addresses of pages, relative to the server: the same as on GitHub. */
export const links = {
  account: (login: string): string => `/${encodeURIComponent(login)}`,
  repo: (repo: Repo): string => `/${encodeURIComponent(repo.owner.login)}/${encodeURIComponent(repo.name)}`,
  within: (repo: Repo, rest: string): string => `${links.repo(repo)}/${rest}`,
  issue: (repo: Repo, issue: Issue): string =>
    `${links.repo(repo)}/${issue.pull ? 'pull' : 'issues'}/${issue.number}`,
  number: (repo: Repo, number: number): string => `${links.repo(repo)}/issues/${number}`,
  commit: (repo: Repo, oid: string): string => `${links.repo(repo)}/commit/${oid}`,
  commits: (repo: Repo, branch: string): string => `${links.repo(repo)}/commits/${encodePath(branch)}`,
  tree: (repo: Repo, rev: string, path = ''): string =>
    `${links.repo(repo)}/tree/${encodePath(rev)}${path === '' ? '' : `/${encodePath(path)}`}`,
  blob: (repo: Repo, rev: string, path: string): string =>
    `${links.repo(repo)}/blob/${encodePath(rev)}/${encodePath(path)}`,
  raw: (repo: Repo, rev: string, path: string): string =>
    `${links.repo(repo)}/raw/${encodePath(rev)}/${encodePath(path)}`,
  run: (repo: Repo, id: number): string => `${links.repo(repo)}/actions/runs/${id}`,
  check: (repo: Repo, id: number): string => `${links.repo(repo)}/runs/${id}`,
};

/** An address that somebody else wrote, when it may be followed: http(s), or relative to this server. Else null. */
export function safeAddress(address: string): string | null {
  if (/[\u0000-\u0020\u007f-\u009f\\]/.test(address)) return null;
  if (/^(?:https?:\/\/|#|\/(?!\/)|\?)/i.test(address)) return address;
  return /^[^:/?#]*(?:[/?#]|$)/.test(address) && address !== '' && !address.startsWith('//') ? address : null;
}
