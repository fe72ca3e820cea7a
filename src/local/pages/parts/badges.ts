import type { User } from '../../records/identity.ts';
import type { Issue } from '../../records/issue.ts';
import { type Html, html } from '../html.ts';
import { links } from '../links.ts';

/** A coloured dot by SVG: the policy of these pages allows no inline style. */
const dot = (color: string): Html =>
  html`<svg class="dot" viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="5" fill="${/^[0-9a-f]{6}$/i.test(color) ? `#${color}` : '#808080'}"/></svg>`;

export function labelChip(label: { readonly name: string; readonly color: string }, href?: string): Html {
  const inner = html`${dot(label.color)}<bdi>${label.name}</bdi>`;
  return href === undefined
    ? html`<span class="label">${inner}</span>`
    : html`<a class="label" href="${href}">${inner}</a>`;
}

type IssueState = 'open' | 'closed' | 'not planned' | 'draft' | 'merged';

export function stateOf(issue: Issue): IssueState {
  if (issue.pull?.merged) return 'merged';
  if (issue.state === 'open') return issue.pull?.draft ? 'draft' : 'open';
  return issue.pull === null && issue.stateReason === 'not_planned' ? 'not planned' : 'closed';
}

/** Closed is good news for an issue and none for a pull request, as the colours on GitHub say. */
const tone = (issue: Issue, state: IssueState): string => {
  if (state === 'closed') return issue.pull ? 'bad' : 'done';
  return { open: 'good', merged: 'done', draft: 'quiet', 'not planned': 'quiet' }[state];
};

export function stateBadge(issue: Issue): Html {
  const state = stateOf(issue);
  return html`<span class="badge ${tone(issue, state)}">${state}</span>`;
}

/** Small round sign before a line of a list. */
export function stateSign(issue: Issue): Html {
  const state = stateOf(issue);
  return html`<span class="sign ${tone(issue, state)}" title="${state}" role="img" aria-label="${state}"></span>`;
}

type Verdict = { readonly status: string; readonly conclusion: string | null };

const VERDICT_TONES: Readonly<Record<string, string>> = {
  success: 'good',
  failure: 'bad',
  error: 'bad',
  timed_out: 'bad',
  startup_failure: 'bad',
  action_required: 'warn',
  cancelled: 'quiet',
  skipped: 'quiet',
  neutral: 'quiet',
  stale: 'quiet',
};

export const verdictTone = ({ status, conclusion }: Verdict): string =>
  status === 'completed' ? (VERDICT_TONES[conclusion ?? ''] ?? 'quiet') : 'warn';

export const verdictWord = ({ status, conclusion }: Verdict): string =>
  (status === 'completed' ? (conclusion ?? 'completed') : status).replaceAll('_', ' ');

export function verdictBadge(verdict: Verdict): Html {
  return html`<span class="badge ${verdictTone(verdict)}">${verdictWord(verdict)}</span>`;
}

export function verdictSign(verdict: Verdict): Html {
  const word = verdictWord(verdict);
  return html`<span class="sign ${verdictTone(verdict)}" title="${word}" role="img" aria-label="${word}"></span>`;
}

/** Name of an account with the way to its page. */
export function person(user: User): Html {
  const bot = user.type === 'Bot';
  const name = user.login.replace(/\[bot\]$/, '');
  const href = bot ? `/apps/${encodeURIComponent(name)}` : links.account(user.login);
  return html`<a class="person" href="${href}"><bdi>${name}</bdi></a>${bot ? html` <span class="pill">bot</span>` : null}`;
}
