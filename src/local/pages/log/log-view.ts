import { type Html, html } from '../html.ts';
import { ansiLine } from './ansi.ts';
import { foldLog, type LogPart } from './fold-log.ts';

const MAX_LINES = 10_000;
const MAX_WIDTH = 4000;

/** A job's log, groups folded. Of a very long one the end, which says how it went. */
export function logView(log: readonly string[]): Html {
  const left = Math.max(0, log.length - MAX_LINES);
  const parts = foldLog(left === 0 ? log : log.slice(left));
  return html`<div class="log">${left === 0 ? null : html`<p class="note">The first ${left} lines are left out; the API has the whole log.</p>`}${parts.map(
    (part) =>
      part.kind === 'line'
        ? logLine(part, left)
        : html`<details><summary>${ansiLine(part.title.slice(0, MAX_WIDTH))}</summary>${part.lines.map((line) => logLine(line, left))}</details>`,
  )}</div>`;
}

function logLine(line: Extract<LogPart, { kind: 'line' }>, offset: number): Html {
  const more = line.text.length - MAX_WIDTH;
  return html`<div class="log-line${line.tone === null ? '' : ` tone-${line.tone}`}"><span class="num">${line.number + offset}</span><span class="text">${ansiLine(line.text.slice(0, MAX_WIDTH))}${more > 0 ? html` <em class="muted">… ${more} more characters</em>` : null}</span></div>\n`;
}
