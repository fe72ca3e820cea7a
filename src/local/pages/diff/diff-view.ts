import type { FileChange } from '../../git/diff.ts';
import type { Repo } from '../../records/repository.ts';
import { type Html, html } from '../html.ts';
import { links } from '../links.ts';
import { type DiffLine, parsePatch } from './parse-patch.ts';

/** Files of a page, lines of a page, lines of a file that is shown unfolded, characters of one line. */
const MAX_FILES = 300;
const MAX_LINES = 8000;
const FOLDED_ABOVE = 400;
const MAX_WIDTH = 2000;

/** The changed files with their diffs. What is too large for a page is left out, with a sentence where it would stand. */
export function diffView(repo: Repo, head: string, files: readonly FileChange[]): Html {
  const additions = files.reduce((sum, file) => sum + file.additions, 0);
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
  let room = MAX_LINES;
  const shown = files.slice(0, MAX_FILES).map((file, index) => {
    const lines = file.patch === null ? null : parsePatch(file.patch);
    const fits = lines !== null && lines.length <= room;
    if (fits) room -= lines.length;
    return fileDiff(repo, head, file, { id: `diff-${index}`, lines, fits });
  });
  const left = files.length - shown.length;
  return html`<p class="facts"><span><strong>${files.length}</strong> ${files.length === 1 ? 'file' : 'files'}</span> ${counts(additions, deletions)}</p>
${shown}
${left > 0 ? html`<p class="note">And ${left} more files, which are too many for a page. git and the API have them.</p>` : null}`;
}

const counts = (additions: number, deletions: number): Html =>
  html`<span class="plus">+${additions}</span> <span class="minus">−${deletions}</span>`;

function fileDiff(
  repo: Repo,
  head: string,
  file: FileChange,
  at: { readonly id: string; readonly lines: readonly DiffLine[] | null; readonly fits: boolean },
): Html {
  const name = html`${file.previousPath === null ? null : html`<bdi>${file.previousPath}</bdi> → `}<bdi>${file.path}</bdi>`;
  const open = at.lines !== null && at.fits && at.lines.length <= FOLDED_ABOVE;
  const link =
    file.status === 'removed'
      ? null
      : html`<a class="small side" href="${links.blob(repo, head, file.path)}">File</a>`;
  return html`<details class="box diff" id="${at.id}"${open ? html` open` : null}><summary><span class="path">${name}</span> <span class="pill">${file.status}</span> ${counts(file.additions, file.deletions)}${link}</summary>${at.lines === null ? html`<p class="inside note">${absent(file)}</p>` : at.fits ? lineTable(at.lines) : html`<p class="inside note">This diff is left out: the page would become too large.</p>`}</details>`;
}

function absent(file: FileChange): string {
  if (file.additions + file.deletions === 0)
    return file.status === 'renamed'
      ? 'Renamed, nothing else changed.'
      : 'No lines to show: binary, empty, or only the mode changed.';
  return 'This diff is left out: it is too large.';
}

const SIGNS: Readonly<Record<DiffLine['kind'], string>> = {
  same: ' ',
  added: '+',
  removed: '−',
  hunk: '',
  note: '',
};

const lineTable = (lines: readonly DiffLine[]): Html =>
  html`<table class="source"><tbody>${lines.map(
    (line) =>
      html`<tr class="${line.kind}"><td class="num">${line.before}</td><td class="num">${line.after}</td><td class="mark">${SIGNS[line.kind]}</td><td class="line">${
        line.text.length > MAX_WIDTH
          ? html`${line.text.slice(0, MAX_WIDTH)} <em class="muted">… ${line.text.length - MAX_WIDTH} more characters</em>`
          : line.text
      }</td></tr>\n`,
  )}</tbody></table>`;
