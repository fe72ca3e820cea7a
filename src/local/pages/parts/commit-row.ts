import type { Repo } from '../../records/repository.ts';
import { type Html, html } from '../html.ts';
import { links } from '../links.ts';
import type { LogEntry } from '../read-log.ts';
import { checksSign } from './checks.ts';
import { when } from './time.ts';

/** One commit of a list. */
export function commitRow(repo: Repo, entry: LogEntry): Html {
  return html`<li class="row"><div class="grow"><a class="title" href="${links.commit(repo, entry.oid)}"><bdi>${entry.subject || '(no message)'}</bdi></a>
<div class="muted small"><bdi>${entry.author}</bdi>, ${when(entry.date)} <span class="oid">${entry.oid.slice(0, 7)}</span></div></div>${checksSign(repo, entry.oid)}</li>`;
}
