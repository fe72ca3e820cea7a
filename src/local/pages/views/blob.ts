import { posix } from 'node:path';
import { objectAt } from '../../git/object-at.ts';
import { type Html, html } from '../html.ts';
import { links } from '../links.ts';
import { markdown, type Surroundings } from '../markdown.ts';
import { type RepoVisit, repoPage, type View } from '../page.ts';
import { pathCrumbs } from '../parts/path-crumbs.ts';
import { revAndPath } from '../rev-and-path.ts';

const MAX_BYTES = 1_000_000;
const MAX_LINES = 10_000;

/** `/blob/{branch, tag or commit}/{path}`: a file with its line numbers; `?plain=1` leaves Markdown as it is. */
export async function showBlob({ repo, params, query }: RepoVisit): Promise<View | null> {
  const place = await revAndPath(repo.git, params.rest ?? '');
  const object = place === null ? null : await objectAt(repo.git, place.commit, place.path);
  if (place === null || object === null) return null;
  if (object.type === 'tree') return { kind: 'moved', to: links.tree(repo, place.rev, place.path) };
  const { content } = object;
  const raw = html`<a href="${links.raw(repo, place.rev, place.path)}">Raw</a>`;
  const isMarkdown = /\.(?:md|markdown)$/i.test(place.path);
  const asMarkdown = isMarkdown && query.get('plain') !== '1';
  const plain = asMarkdown ? html`<a href="?plain=1">Plain</a> ` : null;
  return repoPage(
    repo,
    'code',
    `${place.path} at ${place.rev}`,
    html`${pathCrumbs(repo, place)}
<section class="box"><header><span class="muted">${content.length} bytes</span> <span class="side">${plain}${raw}</span></header>${shown(content, asMarkdown ? { repo, rev: place.rev, folder: posix.dirname(place.path) } : null)}</section>`,
  );
}

function shown(content: Buffer, at: Surroundings | null): Html {
  if (content.subarray(0, 8000).includes(0)) return html`<p class="inside note">A binary file.</p>`;
  const cut = content.length > MAX_BYTES;
  const text = content.subarray(0, MAX_BYTES).toString('utf8');
  if (at !== null && !cut) return html`<div class="inside">${markdown(text, at)}</div>`;
  const lines = text.replace(/\n$/, '').split('\n');
  const note =
    cut || lines.length > MAX_LINES
      ? html`<p class="inside note">Only the beginning is shown; the raw file has all of it.</p>`
      : null;
  return html`${note}<table class="source"><tbody>${lines
    .slice(0, MAX_LINES)
    .map(
      (line, index) =>
        html`<tr id="L${index + 1}"><td class="num">${index + 1}</td><td class="line">${line}</td></tr>\n`,
    )}</tbody></table>`;
}

/** `/raw/…`: the bytes, as text that no browser takes for anything else, or as a download. */
export async function showRaw({ repo, params }: RepoVisit): Promise<View | null> {
  const place = await revAndPath(repo.git, params.rest ?? '');
  const object = place === null ? null : await objectAt(repo.git, place.commit, place.path);
  if (place === null || object?.type !== 'blob') return null;
  const data = object.content;
  if (!data.subarray(0, 8000).includes(0))
    return { kind: 'file', type: 'text/plain; charset=utf-8', name: null, data };
  return {
    kind: 'file',
    type: 'application/octet-stream',
    name: place.path.split('/').at(-1) ?? 'file',
    data,
  };
}
