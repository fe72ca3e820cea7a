import { diffFiles } from '../../git/diff.ts';
import { resolveCommit } from '../../git/resolve.ts';
import { diffView } from '../diff/diff-view.ts';
import { html } from '../html.ts';
import { type RepoVisit, repoPage, type View } from '../page.ts';
import { commitRow } from '../parts/commit-row.ts';
import { patchOf } from '../patch-of.ts';
import { readLog } from '../read-log.ts';

const MAX_COMMITS = 250;

/** `/compare/{base}...{head}`, also with `.diff` and `.patch`: commits of head that base has not, and their change since both parted. */
export async function showCompare({ repo, params }: RepoVisit): Promise<View | null> {
  const [, rest = '', format] = /^(.*?)(?:\.(diff|patch))?$/s.exec(params.rest ?? '') ?? [];
  const [from = '', to = '', ...more] = rest.split('...');
  if (more.length > 0) return null;
  const [base, head] = await Promise.all([resolveCommit(repo.git, from), resolveCommit(repo.git, to)]);
  if (base === null || head === null) return null;
  const mergeBase = (await repo.git.run(['merge-base', base, head])).stdout.toString('utf8').trim();
  if (mergeBase === '') return null;
  if (format !== undefined) return patchOf(repo, `${mergeBase}..${head}`, format);
  const [log, files] = await Promise.all([
    readLog(repo.git, [`${base}..${head}`], { limit: MAX_COMMITS }),
    diffFiles(repo.git, mergeBase, head),
  ]);
  return repoPage(
    repo,
    'commits',
    `${from}...${to}`,
    html`<h1><bdi>${from}</bdi> … <bdi>${to}</bdi></h1>
<ul class="rows box">${log.length === 0 ? html`<li class="row muted">No commits.</li>` : log.map((entry) => commitRow(repo, entry))}</ul>
${diffView(repo, head, files)}`,
  );
}
