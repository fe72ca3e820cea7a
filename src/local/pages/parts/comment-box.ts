import type { App, User } from '../../records/identity.ts';
import type { Repo } from '../../records/repository.ts';
import { type Html, html, type Piece } from '../html.ts';
import { markdown } from '../markdown.ts';
import { person } from './badges.ts';
import { when } from './time.ts';

/** Something that somebody wrote: who, when, through which app, and the text. */
export function commentBox(
  repo: Repo,
  entry: {
    readonly id: string;
    readonly user: User;
    readonly app: App | null;
    readonly verb: Piece;
    readonly at: number;
    readonly editedAt: number | null;
    readonly body: string | null;
  },
): Html {
  const through = entry.app !== null && entry.user !== entry.app.bot;
  return html`<article class="box comment" id="${entry.id}">
<header>${person(entry.user)} <span class="muted">${entry.verb} ${when(entry.at)}${through ? html` through ${entry.app!.name}` : null}${entry.editedAt === null ? null : html`, edited ${when(entry.editedAt)}`}</span></header>
<div class="inside">${entry.body === null || entry.body === '' ? html`<p class="muted"><em>No text.</em></p>` : markdown(entry.body, { repo })}</div>
</article>`;
}
