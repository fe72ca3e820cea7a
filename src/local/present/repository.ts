import { iso } from '../iso.ts';
import { openCount } from '../issues/issue-index.ts';
import type { Role } from '../records/identity.ts';
import type { Repo } from '../records/repository.ts';
import type { Urls } from '../urls.ts';
import { presentUser } from './user.ts';

const API_LINKS = {
  archive: '/{archive_format}{/ref}',
  assignees: '/assignees{/user}',
  blobs: '/git/blobs{/sha}',
  branches: '/branches{/branch}',
  collaborators: '/collaborators{/collaborator}',
  comments: '/comments{/number}',
  commits: '/commits{/sha}',
  compare: '/compare/{base}...{head}',
  contents: '/contents/{+path}',
  contributors: '/contributors',
  deployments: '/deployments',
  downloads: '/downloads',
  events: '/events',
  forks: '/forks',
  git_commits: '/git/commits{/sha}',
  git_refs: '/git/refs{/sha}',
  git_tags: '/git/tags{/sha}',
  hooks: '/hooks',
  issue_comment: '/issues/comments{/number}',
  issue_events: '/issues/events{/number}',
  issues: '/issues{/number}',
  keys: '/keys{/key_id}',
  labels: '/labels{/name}',
  languages: '/languages',
  merges: '/merges',
  milestones: '/milestones{/number}',
  notifications: '/notifications{?since,all,participating}',
  pulls: '/pulls{/number}',
  releases: '/releases{/id}',
  stargazers: '/stargazers',
  statuses: '/statuses/{sha}',
  subscribers: '/subscribers',
  subscription: '/subscription',
  tags: '/tags',
  teams: '/teams',
  trees: '/git/trees{/sha}',
} as const;

/** What `minimal-repository` needs: embedded in check suites, statuses, runs. */
export function presentMinimalRepository(urls: Urls, repo: Repo) {
  const api = urls.repoApi(repo);
  return {
    id: repo.id,
    node_id: repo.nodeId,
    name: repo.name,
    full_name: `${repo.owner.login}/${repo.name}`,
    private: repo.private,
    owner: presentUser(urls, repo.owner),
    html_url: urls.repoHtml(repo),
    description: repo.description,
    fork: false,
    url: api,
    ...linksOf(api),
  };
}

/** Three dozen addresses stand in every repository that is shown, and it is shown in most answers. */
const links = new Map<string, Readonly<Record<string, string>>>();
const MAX_LINKS = 1_000;

function linksOf(api: string): Readonly<Record<string, string>> {
  const known = links.get(api);
  if (known) return known;
  const entries = Object.entries(API_LINKS).map(([name, path]) => [`${name}_url`, `${api}${path}`]);
  const made = Object.fromEntries(entries) as Record<string, string>;
  if (links.size >= MAX_LINKS) links.clear();
  links.set(api, made);
  return made;
}

type Shown = Readonly<ReturnType<typeof describe>>;

const shownBefore = new WeakMap<Repo, { readonly key: string; readonly shown: Shown }>();

/**
 * `repository` and `repository-webhooks` of GitHub's description. One frozen value until something of it changes: each pull
 * request of a list and each webhook carries it.
 */
export function presentRepository(urls: Urls, repo: Repo): Shown {
  const { name, description, defaultBranch, updatedAt, pushedAt, archived } = repo;
  const changing = [name, description, defaultBranch, updatedAt, pushedAt, archived, repo.private];
  const key = JSON.stringify([urls.html, openCount(repo), ...changing]);
  const before = shownBefore.get(repo);
  if (before?.key === key) return before.shown;
  const shown = Object.freeze(describe(urls, repo));
  shownBefore.set(repo, { key, shown });
  return shown;
}

function describe(urls: Urls, repo: Repo) {
  const html = urls.repoHtml(repo);
  const openIssues = openCount(repo);
  return {
    ...presentMinimalRepository(urls, repo),
    created_at: iso(repo.createdAt),
    updated_at: iso(repo.updatedAt),
    pushed_at: iso(repo.pushedAt),
    git_url: html.replace(/^http/, 'git').concat('.git'),
    ssh_url: `git@127.0.0.1:${repo.owner.login}/${repo.name}.git`,
    clone_url: `${html}.git`,
    svn_url: html,
    homepage: null,
    mirror_url: null,
    language: null,
    license: null,
    size: 0,
    stargazers_count: 0,
    watchers_count: 0,
    forks_count: 0,
    open_issues_count: openIssues,
    forks: 0,
    open_issues: openIssues,
    watchers: 0,
    has_issues: true,
    has_projects: false,
    has_downloads: true,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    archived: repo.archived,
    disabled: false,
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    topics: [],
    visibility: repo.private ? 'private' : 'public',
    default_branch: repo.defaultBranch,
  };
}

/** `full-repository`, with the rights of the caller. */
export function presentFullRepository(urls: Urls, repo: Repo, role: Role | null) {
  const order: readonly (Role | null)[] = [null, 'read', 'triage', 'write', 'maintain', 'admin'];
  const may = (wanted: Role): boolean => order.indexOf(role) >= order.indexOf(wanted);
  return {
    ...presentRepository(urls, repo),
    subscribers_count: 0,
    network_count: 0,
    permissions: {
      admin: may('admin'),
      maintain: may('maintain'),
      push: may('write'),
      triage: may('triage'),
      pull: may('read'),
    },
    allow_rebase_merge: false,
    allow_squash_merge: true,
    allow_merge_commit: true,
    allow_auto_merge: false,
    delete_branch_on_merge: false,
  };
}
