import { repoAccess } from '../access.ts';
import { mergeBase as commonAncestor } from '../git/ancestry.ts';
import { logCommits } from '../git/commit-log.ts';
import { diffFiles, type FileChange } from '../git/diff.ts';
import { objectAt } from '../git/object-at.ts';
import { resolveCommit } from '../git/resolve.ts';
import { parseTree } from '../git/tree.ts';
import { paginate } from '../paginate.ts';
import { presentCommit } from '../present/commit.ts';
import { presentFileChange } from '../present/file-change.ts';
import { notFound, ok, problem, type Reply, unprocessable } from '../reply.ts';
import type { Context, Route } from '../router.ts';

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

async function getCommit(ctx: Context): Promise<Reply> {
  const oid = await resolveCommit(ctx.repo.git, ctx.params.ref ?? '');
  if (!oid) return unprocessable(`No commit found for SHA: ${ctx.params.ref}`);
  const [commit] = await logCommits(ctx.repo.git, [oid], {}, 1);
  const files = await diffFiles(ctx.repo.git, commit!.parents[0] ?? EMPTY_TREE, oid);
  return ok({
    ...presentCommit(ctx.store, ctx.repo, commit!),
    stats: totals(files),
    files: files.map((file) => presentFileChange(ctx.urls, ctx.repo, oid, file)),
  });
}

function totals(files: readonly FileChange[]) {
  const additions = files.reduce((sum, file) => sum + file.additions, 0);
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
  return { additions, deletions, total: additions + deletions };
}

async function listCommits(ctx: Context): Promise<Reply> {
  const from = ctx.query.get('sha') ?? ctx.repo.defaultBranch;
  const oid = await resolveCommit(ctx.repo.git, from);
  if (!oid)
    return (await ctx.repo.git.refs()).length === 0 ? problem(409, 'Git Repository is empty.') : notFound();
  const commits = (await logCommits(ctx.repo.git, [oid], {}, 10_000)).reverse();
  const { items, headers } = paginate(ctx, commits);
  return ok(
    items.map((commit) => presentCommit(ctx.store, ctx.repo, commit)),
    headers,
  );
}

async function compare(ctx: Context): Promise<Reply> {
  const [from = '', to = ''] = (ctx.params.basehead ?? '').split('...');
  const { git } = ctx.repo;
  const [base, head] = await Promise.all([resolveCommit(git, from), resolveCommit(git, to)]);
  if (!base || !head) return notFound();
  const mergeBase = (await commonAncestor(git, base, head)) ?? '';
  if (!mergeBase) return problem(404, `No common ancestor between ${from} and ${to}.`);
  const { page, perPage, skip } = compareWindow(ctx);
  const [ahead, counts, files, [baseCommit], [mergeCommit]] = await Promise.all([
    logCommits(git, [`${base}..${head}`], {}, COMPARED),
    git.run(['rev-list', '--count', '--left-right', `${base}...${head}`]),
    page === 1 ? diffFiles(git, mergeBase, head) : [],
    logCommits(git, [base], {}, 1),
    logCommits(git, [mergeBase], {}, 1),
  ]);
  const [behindBy = 0, aheadBy = 0] = counts.stdout.toString('utf8').trim().split('\t').map(Number);
  const html = `${ctx.urls.repoHtml(ctx.repo)}/compare/${from}...${to}`;
  const permalink = `${ctx.urls.repoHtml(ctx.repo)}/compare/${base}...${head}`;
  return ok({
    url: `${ctx.urls.repoApi(ctx.repo)}/compare/${from}...${to}`,
    html_url: html,
    permalink_url: permalink,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    base_commit: presentCommit(ctx.store, ctx.repo, baseCommit!),
    merge_base_commit: presentCommit(ctx.store, ctx.repo, mergeCommit!),
    status: statusOf(aheadBy, behindBy),
    ahead_by: aheadBy,
    behind_by: behindBy,
    total_commits: aheadBy,
    commits: ahead.slice(skip, skip + perPage).map((commit) => presentCommit(ctx.store, ctx.repo, commit)),
    files: files.slice(0, COMPARED_FILES).map((file) => presentFileChange(ctx.urls, ctx.repo, head, file)),
  });
}

/** More commits than this are counted, not read. */
const COMPARED = 10_000;
/** GitHub shows no more files of a comparison, and those on its first page alone. */
const COMPARED_FILES = 300;

/** Without paging the first 250 commits, with it 30 a page unless asked, 100 at most (REST, "Compare two commits"). */
function compareWindow(ctx: Context): { page: number; perPage: number; skip: number } {
  const asked = (name: string): number => Math.max(1, Number(ctx.query.get(name)) || 1);
  const paged = ctx.query.has('page') || ctx.query.has('per_page');
  const perPage = paged ? Math.min(100, ctx.query.has('per_page') ? asked('per_page') : 30) : 250;
  const page = paged ? asked('page') : 1;
  return { page, perPage, skip: (page - 1) * perPage };
}

function statusOf(ahead: number, behind: number): string {
  if (ahead > 0 && behind > 0) return 'diverged';
  if (ahead > 0) return 'ahead';
  return behind > 0 ? 'behind' : 'identical';
}

async function contents(ctx: Context): Promise<Reply> {
  const commit = await resolveCommit(ctx.repo.git, ctx.query.get('ref') ?? ctx.repo.defaultBranch);
  const path = (ctx.params.path ?? '').replace(/\/+$/, '');
  const object = commit ? await objectAt(ctx.repo.git, commit, path) : null;
  if (!commit || !object) return notFound();
  if (object.type === 'blob') {
    const content = {
      encoding: 'base64',
      content: object.content.toString('base64').replace(/(.{60})/g, '$1\n'),
    };
    return ok({ ...entry(ctx, commit, path, 'file', object.oid, object.content.length), ...content });
  }
  const children = parseTree(object.content).map(async (child) => {
    const childPath = path === '' ? child.name : `${path}/${child.name}`;
    const type = { '040000': 'dir', '120000': 'symlink', '160000': 'submodule' }[child.mode] ?? 'file';
    const size = type === 'file' ? (await ctx.repo.git.object(child.oid))!.content.length : 0;
    return entry(ctx, commit, childPath, type, child.oid, size);
  });
  return ok(await Promise.all(children));
}

function entry(ctx: Context, commit: string, path: string, type: string, oid: string, size: number) {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  const kind = type === 'dir' ? 'tree' : 'blob';
  const url = `${ctx.urls.repoApi(ctx.repo)}/contents/${encoded}?ref=${commit}`;
  const git = `${ctx.urls.repoApi(ctx.repo)}/git/${kind}s/${oid}`;
  const html = `${ctx.urls.repoHtml(ctx.repo)}/${kind}/${commit}/${encoded}`;
  return {
    name: path.split('/').at(-1)!,
    path,
    sha: oid,
    size,
    url,
    html_url: html,
    git_url: git,
    download_url: type === 'file' ? `${ctx.urls.repoHtml(ctx.repo)}/raw/${commit}/${encoded}` : null,
    type,
    _links: { self: url, git, html },
  };
}

const access = repoAccess('contents:read');
const base = '/repos/{owner}/{repo}';

export const commitRoutes: readonly Route[] = [
  {
    operationId: 'repos/get-commit',
    method: 'GET',
    path: `${base}/commits/{ref}`,
    access,
    handler: getCommit,
  },
  { operationId: 'repos/list-commits', method: 'GET', path: `${base}/commits`, access, handler: listCommits },
  {
    operationId: 'repos/compare-commits-with-basehead',
    method: 'GET',
    path: `${base}/compare/{basehead}`,
    access,
    handler: compare,
  },
  {
    operationId: 'repos/get-content',
    method: 'GET',
    path: `${base}/contents/{path}`,
    access,
    handler: contents,
  },
];
