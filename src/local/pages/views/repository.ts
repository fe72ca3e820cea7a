import type { Repo } from '../../records/repository.ts';
import { type Html, html } from '../html.ts';
import { links } from '../links.ts';
import { type RepoVisit, repoPage, type View } from '../page.ts';
import { commitRow } from '../parts/commit-row.ts';
import { readme } from '../parts/readme.ts';
import { readLog } from '../read-log.ts';
import { fileList } from './tree.ts';

/** `/{owner}/{repo}`: files and README of the default branch, latest commits, counts. */
export async function showRepository({ store, repo }: RepoVisit): Promise<View> {
  const head = await repo.git.ref(`refs/heads/${repo.defaultBranch}`);
  const body = head === null ? emptyRepository(store.origin, repo) : await contents(store.origin, repo, head);
  return repoPage(repo, 'code', `${repo.owner.login}/${repo.name}`, body);
}

async function contents(origin: string, repo: Repo, head: string): Promise<Html> {
  const [branches, tags, log, count, files, text] = await Promise.all([
    repo.git.refs('refs/heads/'),
    repo.git.refs('refs/tags/'),
    readLog(repo.git, [head], { limit: 5 }),
    repo.git.run(['rev-list', '--count', head]),
    fileList(repo, { rev: repo.defaultBranch, commit: head, path: '' }),
    readme(repo, repo.defaultBranch, head),
  ]);
  return html`${repo.description === null ? null : html`<p class="lead"><bdi>${repo.description}</bdi></p>`}
<p class="facts"><a href="${links.within(repo, 'branches')}"><strong>${branches.length}</strong> ${branches.length === 1 ? 'branch' : 'branches'}</a>
<span><strong>${tags.length}</strong> ${tags.length === 1 ? 'tag' : 'tags'}</span>
<a href="${links.commits(repo, repo.defaultBranch)}"><strong>${count.stdout.toString('utf8').trim()}</strong> commits on <bdi>${repo.defaultBranch}</bdi></a></p>
<div class="columns"><div class="wide-column">
${files}
${text}
</div><aside>
<section class="box"><header>Latest commits</header><ul class="rows">${log.map((entry) => commitRow(repo, entry))}</ul></section>
<section class="box"><header>Clone</header><div class="inside"><code class="break">${origin}${links.repo(repo)}.git</code></div></section>
</aside></div>`;
}

const emptyRepository = (
  origin: string,
  repo: Repo,
): Html => html`<div class="empty"><h1>Nothing here yet</h1>
<p>Push a branch named <code>${repo.defaultBranch}</code>:</p>
<pre class="plain">git push ${origin}${links.repo(repo)}.git HEAD:${repo.defaultBranch}</pre></div>`;
