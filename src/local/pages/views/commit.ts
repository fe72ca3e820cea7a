import { diffFiles } from '../../git/diff.ts';
import { resolveCommit } from '../../git/resolve.ts';
import { diffView } from '../diff/diff-view.ts';
import { html } from '../html.ts';
import { type RepoVisit, repoPage, type View } from '../page.ts';
import { checkList, checksOf } from '../parts/checks.ts';
import { when } from '../parts/time.ts';
import { shortLink } from '../parts/timeline.ts';
import { readLog } from '../read-log.ts';

/** What the first commit is compared with. Known to every git. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** `/commit/{sha}`: message, parents, checks, and the change against the first parent. */
export async function showCommit({ repo, params }: RepoVisit): Promise<View | null> {
  const oid = await resolveCommit(repo.git, params.sha ?? '');
  const [entry] = oid === null ? [] : await readLog(repo.git, [oid], { limit: 1 });
  if (oid === null || entry === undefined) return null;
  const files = await diffFiles(repo.git, entry.parents[0] ?? EMPTY_TREE, oid);
  const checks = checksOf(repo, oid);
  return repoPage(
    repo,
    'commits',
    `${entry.subject || oid.slice(0, 7)}`,
    html`<header class="head"><h1><bdi>${entry.subject || '(no message)'}</bdi></h1>
${entry.body === '' ? null : html`<pre class="plain message">${entry.body}</pre>`}
<p class="muted"><bdi>${entry.author}</bdi>, ${when(entry.date)}. ${entry.parents.length === 0 ? 'No parent.' : html`${entry.parents.length === 1 ? 'Parent' : 'Parents'} ${entry.parents.map((parent) => html`${shortLink(repo, parent)} `)}`} <span class="oid break">${oid}</span></p></header>
${checks.length === 0 ? null : html`<section class="box"><header>Checks</header>${checkList(checks)}</section>`}
${entry.parents.length > 1 ? html`<p class="muted">A merge, shown against its first parent.</p>` : null}
${diffView(repo, oid, files)}`,
  );
}
