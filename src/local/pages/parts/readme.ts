import { parseTree } from '../../git/tree.ts';
import type { Repo } from '../../records/repository.ts';
import { type Html, html } from '../html.ts';
import { links } from '../links.ts';
import { markdown } from '../markdown.ts';

/** The README of a folder, or nothing when it has none. Only Markdown is set as such. */
export async function readme(repo: Repo, rev: string, tree: string): Promise<Html | null> {
  const folder = await repo.git.object(`${tree}^{tree}`);
  const entry = parseTree(folder?.content ?? Buffer.alloc(0)).find((one) =>
    /^readme(?:\.(?:md|markdown|txt))?$/i.test(one.name),
  );
  const blob = entry === undefined ? null : await repo.git.object(entry.oid);
  if (entry === undefined || blob?.type !== 'blob') return null;
  const text = blob.content.subarray(0, 500_000).toString('utf8');
  const shown = /\.(?:md|markdown)$/i.test(entry.name)
    ? markdown(text, { repo, rev })
    : html`<pre class="plain">${text}</pre>`;
  return html`<section class="box"><header><a href="${links.blob(repo, rev, entry.name)}">${entry.name}</a></header><div class="inside">${shown}</div></section>`;
}
