import { asPull, type PullIssue } from '../../present/pull.ts';
import { mergeBaseOf } from '../../pulls/counts.ts';
import type { Repo } from '../../records/repository.ts';
import { type Html, html } from '../html.ts';
import { links } from '../links.ts';
import { type RepoVisit, repoPage, type View } from '../page.ts';
import { person } from '../parts/badges.ts';
import { checkList, checksOf } from '../parts/checks.ts';
import { pullTabs } from '../parts/pull-tabs.ts';
import { when } from '../parts/time.ts';
import { shortLink, timeline } from '../parts/timeline.ts';
import { patchOf } from '../patch-of.ts';
import { issueHead, labelSection, openingText, peopleSection } from './issue.ts';

/** `/pull/{n}`: conversation, checks of the head, whether it can be merged. */
export async function showPull({ repo, params, path, query }: RepoVisit): Promise<View | null> {
  const issue = asPull(repo.issues.get(Number(params.number)));
  if (issue === null) return null;
  return repoPage(
    repo,
    'pulls',
    `${issue.title} #${issue.number}`,
    html`${pullHead(repo, issue)}${pullTabs(repo, issue, 'conversation')}
<div class="columns"><div class="wide-column">${openingText(repo, issue)}${timeline(repo, issue, path, query)}
<section class="box"><header>Checks of ${shortLink(repo, issue.pull.headSha)}</header>${checkList(checksOf(repo, issue.pull.headSha))}</section>
${await mergeBox(repo, issue)}</div>
<aside>${labelSection(repo, issue)}${peopleSection(issue)}</aside></div>`,
  );
}

export function pullHead(repo: Repo, issue: PullIssue): Html {
  const { pull } = issue;
  const branch = (name: string): Html =>
    html`<a class="pill" href="${links.tree(repo, name)}"><bdi>${name}</bdi></a>`;
  const verb =
    pull.merged && pull.mergedBy !== null && pull.mergedAt !== null
      ? html`${person(pull.mergedBy)} merged ${when(pull.mergedAt)}`
      : html`${person(issue.user)} wants to merge, opened ${when(issue.createdAt)}`;
  return issueHead(issue, html`${verb}: ${branch(pull.headRef)} into ${branch(pull.baseRef)}`);
}

/** Looks itself: asking as the API does would change what the API answers next. */
async function mergeBox(repo: Repo, issue: PullIssue): Promise<Html> {
  const { pull } = issue;
  const box = (tone: string, text: Html): Html =>
    html`<section class="box merge-box ${tone}"><div class="inside">${text}</div></section>`;
  if (pull.merged)
    return box(
      'done',
      html`Merged${pull.mergeCommitSha === null ? null : html` as ${shortLink(repo, pull.mergeCommitSha)}`}.`,
    );
  if (issue.state === 'closed') return box('quiet', html`Closed without a merge.`);
  const run = await repo.git.run([
    'merge-tree',
    '--write-tree',
    '--name-only',
    '-z',
    pull.baseSha,
    pull.headSha,
  ]);
  if (run.code === 0)
    return box(
      pull.draft ? 'quiet' : 'good',
      html`No conflicts with <bdi>${pull.baseRef}</bdi>.${pull.draft ? ' A draft is not merged.' : null}`,
    );
  const [paths = ''] = run.stdout.toString('utf8').split('\0\0');
  const names = run.code === 1 ? paths.split('\0').slice(1) : [];
  return box(
    'bad',
    html`<p>Conflicts with <bdi>${pull.baseRef}</bdi>${names.length === 0 ? '.' : ':'}</p>${names.length === 0 ? null : html`<ul>${names.slice(0, 50).map((name) => html`<li><code>${name}</code></li>`)}</ul>`}`,
  );
}

/** `/pull/{n}.diff` and `.patch`: as git writes them. */
export async function showPatch({ repo, params }: RepoVisit): Promise<View | null> {
  const issue = asPull(repo.issues.get(Number(params.number)));
  if (issue === null) return null;
  const range = `${await mergeBaseOf(repo, issue)}..${issue.pull.headSha}`;
  return patchOf(repo, range, params.format ?? 'diff');
}
