import type { Repo } from '../../records/repository.ts';
import { type Html, html } from '../html.ts';
import { links, safeAddress } from '../links.ts';
import { markdown } from '../markdown.ts';
import { type RepoVisit, repoPage, type View } from '../page.ts';
import { annotationList } from '../parts/annotations.ts';
import { verdictBadge } from '../parts/badges.ts';
import { lasting, when } from '../parts/time.ts';
import { shortLink } from '../parts/timeline.ts';

/** `/runs/{id}`: a check run with its output and annotations. */
export function showCheckRun({ repo, params, actions }: RepoVisit): View | null {
  const check = repo.checkRuns.find((one) => one.id === Number(params.id));
  if (check === undefined) return null;
  const { output, annotations, headSha } = check;
  const job = actions?.engine.job(check.id);
  const details = check.detailsUrl === null ? null : safeAddress(check.detailsUrl);
  return repoPage(
    repo,
    'commits',
    `${check.name} on ${headSha.slice(0, 7)}`,
    html`<header class="head"><h1><bdi>${check.name}</bdi></h1>
<p>${verdictBadge(check)} <span class="muted">by <a href="/apps/${encodeURIComponent(check.app.slug)}"><bdi>${check.app.name}</bdi></a> on ${shortLink(repo, headSha)}${check.startedAt === null ? null : html`, began ${when(check.startedAt)}`}${check.completedAt === null ? null : `, took ${lasting(check.startedAt, check.completedAt)}`}</span></p>
${job === undefined ? null : html`<p><a href="${links.run(repo, job.run.id)}/job/${job.id}">Job and log</a></p>`}
${details === null || job !== undefined ? null : html`<p><a href="${details}" rel="nofollow noopener">Details</a></p>`}</header>
${output.title === null ? null : html`<h2><bdi>${output.title}</bdi></h2>`}
${textBox(repo, 'Summary', output.summary)}${textBox(repo, 'Text', output.text)}
<h2>Annotations <span class="count">${annotations.length}</span></h2>
${annotations.length === 0 ? html`<p class="muted">None.</p>` : html`<section class="box"><div class="inside">${annotationList(repo, headSha, annotations)}</div></section>`}`,
  );
}

const textBox = (repo: Repo, title: string, text: string | null): Html | null =>
  text === null || text === ''
    ? null
    : html`<section class="box"><header>${title}</header><div class="inside">${markdown(text, { repo })}</div></section>`;
