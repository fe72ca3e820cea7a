import type { Repo } from '../../records/repository.ts';
import { type Html, html } from '../html.ts';
import { links, safeAddress } from '../links.ts';
import { verdictSign, verdictWord } from './badges.ts';

interface CheckLine {
  readonly name: string;
  readonly by: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly title: string | null;
  readonly href: string | null;
}

/** Checks and statuses of a commit: of each name and app the newest. */
export function checksOf(repo: Repo, sha: string): CheckLine[] {
  const lines = new Map<string, CheckLine>();
  for (const run of repo.checkRuns) {
    if (run.headSha !== sha) continue;
    lines.set(`run ${run.app.id} ${run.name}`, {
      name: run.name,
      by: run.app.name,
      status: run.status,
      conclusion: run.conclusion,
      title: run.output.title,
      href: links.check(repo, run.id),
    });
  }
  for (const status of repo.statuses) {
    if (status.sha !== sha) continue;
    lines.set(`status ${status.context}`, {
      name: status.context,
      by: status.creator.login,
      status: status.state === 'pending' ? 'pending' : 'completed',
      conclusion: status.state === 'pending' ? null : status.state,
      title: status.description,
      href: status.targetUrl === null ? null : safeAddress(status.targetUrl),
    });
  }
  return [...lines.values()];
}

export function checkList(lines: readonly CheckLine[]): Html {
  if (lines.length === 0) return html`<p class="inside muted">No checks on this commit.</p>`;
  return html`<ul class="rows">${lines.map(
    (
      line,
    ) => html`<li class="row">${verdictSign(line)}<div class="grow"><strong>${line.href === null ? html`<bdi>${line.name}</bdi>` : html`<a href="${line.href}" rel="nofollow noopener"><bdi>${line.name}</bdi></a>`}</strong>
<div class="muted small">${line.by}: ${line.title ?? verdictWord(line)}</div></div><span class="muted small side">${verdictWord(line)}</span></li>`,
  )}</ul>`;
}

/** All of a commit's checks in one sign, or nothing when it has none. */
export function checksSign(repo: Repo, sha: string): Html | null {
  const lines = checksOf(repo, sha);
  if (lines.length === 0) return null;
  const worst =
    lines.find((line) => line.status === 'completed' && isBad(line.conclusion)) ??
    lines.find((line) => line.status !== 'completed') ??
    lines.find((line) => line.conclusion === 'success') ??
    lines[0]!;
  return verdictSign(worst);
}

const isBad = (conclusion: string | null): boolean =>
  !['success', 'neutral', 'skipped', 'cancelled', 'stale'].includes(conclusion ?? '');
