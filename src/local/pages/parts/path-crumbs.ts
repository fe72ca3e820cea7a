import type { Repo } from '../../records/repository.ts';
import { type Html, html } from '../html.ts';
import { links } from '../links.ts';
import type { Place } from '../rev-and-path.ts';

/** Where in the repository one stands: revision, folders, name. */
export function pathCrumbs(repo: Repo, place: Place): Html {
  const parts = place.path === '' ? [] : place.path.split('/');
  return html`<nav class="crumbs" aria-label="Path"><span class="pill"><bdi>${place.rev}</bdi></span> <a href="${links.tree(repo, place.rev)}">${repo.name}</a>${parts.map(
    (part, index) =>
      index === parts.length - 1
        ? html` / <strong><bdi>${part}</bdi></strong>`
        : html` / <a href="${links.tree(repo, place.rev, parts.slice(0, index + 1).join('/'))}"><bdi>${part}</bdi></a>`,
  )}</nav>`;
}
