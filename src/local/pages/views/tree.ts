import { objectAt } from '../../git/object-at.ts';
import { parseTree, type TreeEntry } from '../../git/tree.ts';
import type { Repo } from '../../records/repository.ts';
import { type Html, html } from '../html.ts';
import { links } from '../links.ts';
import { type RepoVisit, repoPage, type View } from '../page.ts';
import { pathCrumbs } from '../parts/path-crumbs.ts';
import { type Place, revAndPath } from '../rev-and-path.ts';

/** More entries than this are counted, not listed. */
const MAX_ENTRIES = 1000;

/** `/tree/{branch, tag or commit}/{path}`: a folder. */
export async function showTree({ repo, params }: RepoVisit): Promise<View | null> {
  const place = await revAndPath(repo.git, params.rest ?? '');
  if (place === null) return null;
  const object = await objectAt(repo.git, place.commit, place.path);
  if (object?.type === 'blob') return { kind: 'moved', to: links.blob(repo, place.rev, place.path) };
  if (object?.type !== 'tree') return null;
  const title = `${place.path === '' ? repo.name : place.path} at ${place.rev}`;
  return repoPage(repo, 'code', title, html`${pathCrumbs(repo, place)}${await fileList(repo, place)}`);
}

/** The entries of a folder: folders first, then files. */
export async function fileList(repo: Repo, place: Place): Promise<Html> {
  const object = await objectAt(repo.git, place.commit, place.path);
  const entries = object?.type === 'tree' ? parseTree(object.content) : [];
  const sorted = entries.sort((one, other) => Number(isFolder(other)) - Number(isFolder(one)));
  const left = sorted.length - MAX_ENTRIES;
  return html`<ul class="rows box files">${sorted.slice(0, MAX_ENTRIES).map((entry) => line(repo, place, entry))}${left > 0 ? html`<li class="row muted">And ${left} more, which are not listed.</li>` : null}${sorted.length === 0 ? html`<li class="row muted">Nothing here.</li>` : null}</ul>`;
}

const isFolder = (entry: TreeEntry): boolean => entry.mode === '040000';

function line(repo: Repo, place: Place, entry: TreeEntry): Html {
  const path = place.path === '' ? entry.name : `${place.path}/${entry.name}`;
  if (entry.mode === '160000')
    return html`<li class="row"><span class="kind">⬦</span><bdi>${entry.name}</bdi> <span class="muted small">submodule at ${entry.oid.slice(0, 7)}</span></li>`;
  const folder = isFolder(entry);
  const href = folder ? links.tree(repo, place.rev, path) : links.blob(repo, place.rev, path);
  return html`<li class="row"><span class="kind${folder ? ' folder' : ''}" aria-hidden="true">${folder ? '▸' : ''}</span><a href="${href}"><bdi>${entry.name}</bdi></a>${entry.mode === '120000' ? html` <span class="pill">link</span>` : null}</li>`;
}
