import type { Annotation } from '../../records/check.ts';
import type { Repo } from '../../records/repository.ts';
import { type Html, html } from '../html.ts';
import { links } from '../links.ts';

const MAX_SHOWN = 500;
const TONES = { failure: 'bad', warning: 'warn', notice: 'quiet' } as const;

/** Annotations with the way to their lines. */
export function annotationList(repo: Repo, sha: string, annotations: readonly Annotation[]): Html {
  const left = annotations.length - MAX_SHOWN;
  return html`<ul class="annotations">${annotations.slice(0, MAX_SHOWN).map((one) => annotation(repo, sha, one))}${left > 0 ? html`<li class="muted">And ${left} more, which the API has.</li>` : null}</ul>`;
}

function annotation(repo: Repo, sha: string, one: Annotation): Html {
  const lines = one.end_line === one.start_line ? `${one.start_line}` : `${one.start_line}–${one.end_line}`;
  return html`<li class="${TONES[one.annotation_level] ?? 'quiet'}"><div class="small"><span class="badge ${TONES[one.annotation_level] ?? 'quiet'}">${one.annotation_level}</span> <a href="${links.blob(repo, sha, one.path)}#L${one.start_line}"><bdi>${one.path}</bdi>:${lines}</a></div>
${one.title ? html`<strong><bdi>${one.title}</bdi></strong>` : null}<pre class="plain">${one.message}</pre>${one.raw_details ? html`<details><summary>Details</summary><pre class="plain">${one.raw_details}</pre></details>` : null}</li>`;
}
