import { html } from '../html.ts';
import { links } from '../links.ts';
import { type RepoVisit, repoPage, type View } from '../page.ts';
import { checksSign } from '../parts/checks.ts';
import { cutPage, cutPager } from '../parts/paging.ts';
import { when } from '../parts/time.ts';
import { shortLink } from '../parts/timeline.ts';
import { readLog } from '../read-log.ts';

/** `/branches`: every branch with its newest commit, the default branch first. */
export async function showBranches({ repo, query, path }: RepoVisit): Promise<View> {
  const refs = (await repo.git.refs('refs/heads/')).map(({ name, oid }) => ({ name: name.slice(11), oid }));
  refs.sort(
    (one, other) => Number(other.name === repo.defaultBranch) - Number(one.name === repo.defaultBranch),
  );
  const cut = cutPage(refs, query, 50);
  const rows = await Promise.all(
    cut.items.map(async ({ name, oid }) => {
      const [tip] = await readLog(repo.git, [oid], { limit: 1 });
      return html`<li class="row"><div class="grow"><a class="title" href="${links.tree(repo, name)}"><bdi>${name}</bdi></a>${name === repo.defaultBranch ? html` <span class="pill">default</span>` : null}
<div class="muted small">${shortLink(repo, oid)} <bdi>${tip?.subject ?? ''}</bdi>${tip ? html`, ${when(tip.date)}` : null}</div></div>
${checksSign(repo, oid)}<a class="small side" href="${links.commits(repo, name)}">Graph</a></li>`;
    }),
  );
  const body = html`<h1>Branches</h1>${rows.length === 0 ? html`<div class="empty"><p>No branches.</p></div>` : html`<ul class="rows box">${rows}</ul>`}${cutPager(path, query, cut)}`;
  return repoPage(repo, 'branches', `Branches of ${repo.owner.login}/${repo.name}`, body);
}
