import type { AlignType, ListItem, Nodes, Parents, Root, Table } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import type { Repo } from '../records/repository.ts';
import { addressInRepo } from './address-in-repo.ts';
import { type Html, html, type Piece } from './html.ts';
import { links, safeAddress } from './links.ts';

/** Where a text stands: what its relative links start from and its `#12` mean. */
export interface Surroundings {
  readonly repo: Repo;
  /** Branch, tag or commit; the default branch unless given. */
  readonly rev?: string;
  /** Folder of the text; the root unless given. */
  readonly folder?: string;
}

/** GitHub takes no longer bodies; files may be longer, and are shown as they are. */
const MAX_LENGTH = 65_536;
/** The parser takes time that grows with the square of a list's length. */
const MAX_LINES = 3000;
/** Deeper texts are no person's, and a renderer that calls itself has an end. */
const MAX_DEPTH = 60;
const NESTED = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){40,}/m;
/** Long runs of marks that open and never close take the parser seconds. */
const MARKS = /[[*_~<`!]/g;
const MAX_MARKS = 8000;

const withoutFootnotes = {
  disable: { null: ['gfmFootnoteCall', 'gfmFootnoteDefinition', 'gfmPotentialFootnoteCall'] },
};

/**
 * Markdown with GitHub's extensions as markup. HTML in it is shown as text, images become links, links that are not http(s) or
 * relative become their text. Text that would take the parser long is shown as it is, with a sentence.
 */
export function markdown(text: string, at: Surroundings): Html {
  const source = text.replace(/\r\n?/g, '\n');
  const root = parse(source);
  if (root !== null) return html`<div class="markdown" dir="auto">${children(root, at)}</div>`;
  return html`<p class="note">This text is too long or too deep to be shown as Markdown.</p>
<pre class="plain">${source}</pre>`;
}

function parse(source: string): Root | null {
  const tooMuch =
    source.length > MAX_LENGTH ||
    source.split('\n', MAX_LINES + 1).length > MAX_LINES ||
    NESTED.test(source) ||
    (source.match(MARKS)?.length ?? 0) > MAX_MARKS;
  if (tooMuch) return null;
  try {
    const root = fromMarkdown(source, {
      extensions: [gfm(), withoutFootnotes],
      mdastExtensions: [gfmFromMarkdown()],
    });
    return isDeep(root, 0) ? null : root;
  } catch {
    // A text that the parser cannot read (its stack ended) is still a text that a person wants to see.
    return null;
  }
}

const isDeep = (node: Nodes, depth: number): boolean =>
  depth > MAX_DEPTH || ('children' in node && node.children.some((child) => isDeep(child, depth + 1)));

const children = (node: Parents, at: Surroundings): Piece => node.children.map((child) => render(child, at));

function render(node: Nodes, at: Surroundings): Piece {
  const inner = (): Piece => ('children' in node ? children(node, at) : null);
  switch (node.type) {
    case 'text':
      return withNumbers(node.value, at.repo);
    case 'paragraph':
      return html`<p>${inner()}</p>\n`;
    case 'heading':
      return heading(node.depth, inner());
    case 'emphasis':
      return html`<em>${inner()}</em>`;
    case 'strong':
      return html`<strong>${inner()}</strong>`;
    case 'delete':
      return html`<del>${inner()}</del>`;
    case 'inlineCode':
      return html`<code>${node.value}</code>`;
    case 'code':
      return html`<pre class="code"><code>${node.value}</code></pre>\n`;
    case 'blockquote':
      return html`<blockquote>${inner()}</blockquote>\n`;
    case 'list':
      return node.ordered
        ? html`<ol start="${node.start ?? 1}">${inner()}</ol>\n`
        : html`<ul>${inner()}</ul>\n`;
    case 'listItem':
      return html`<li>${task(node.checked)}${node.spread ? inner() : tight(node, at)}</li>\n`;
    case 'break':
      return html`<br>`;
    case 'thematicBreak':
      return html`<hr>`;
    case 'link':
      return link(node.url, inner(), at);
    case 'image':
      return link(node.url, html`<span class="image">image: ${node.alt || node.url}</span>`, at);
    case 'table':
      return table(node, at);
    case 'html':
      return raw(node.value);
    case 'definition':
      return null;
    default:
      return inner();
  }
}

/** Items of a list without empty lines hold their text without paragraphs. */
const tight = (item: ListItem, at: Surroundings): Piece =>
  item.children.map((child) => (child.type === 'paragraph' ? children(child, at) : render(child, at)));

function heading(depth: number, inner: Piece): Html {
  if (depth === 1) return html`<h2 class="h1">${inner}</h2>\n`;
  if (depth === 2) return html`<h3 class="h2">${inner}</h3>\n`;
  return html`<h4>${inner}</h4>\n`;
}

function task(checked: boolean | null | undefined): Piece {
  if (checked === null || checked === undefined) return null;
  return html`<span class="task">${checked ? '☑' : '☐'}</span> `;
}

/** `#12` leads to what has that number here. */
function withNumbers(text: string, repo: Repo): Piece {
  return text.split(/(?<![\w/&])(#\d{1,9})\b/).map((part, index) => {
    const issue = index % 2 === 1 ? repo.issues.get(Number(part.slice(1))) : undefined;
    return issue === undefined ? part : html`<a href="${links.issue(repo, issue)}">${part}</a>`;
  });
}

function link(address: string, inner: Piece, at: Surroundings): Html {
  const allowed = safeAddress(address);
  const safe = allowed === null ? null : addressInRepo(allowed, at);
  return safe === null
    ? html`<span class="dead-link">${inner}</span>`
    : html`<a href="${safe}" rel="nofollow noopener">${inner}</a>`;
}

/** Comments are not shown, as on GitHub; every other HTML is text. */
const raw = (value: string): Piece =>
  /^<!--[\s\S]*-->\s*$/.test(value) ? null : html`<code class="raw-html">${value}</code>`;

function table(node: Table, at: Surroundings): Html {
  const [head, ...rows] = node.children.map((row) =>
    row.children.map((cell, column) => ({
      text: children(cell, at),
      align: node.align?.[column] ?? null,
    })),
  );
  return html`<div class="wide"><table class="cells"><thead><tr>${(head ?? []).map(
    (cell) => html`<th class="${alignment(cell.align)}">${cell.text}</th>`,
  )}</tr></thead><tbody>${rows.map(
    (row) =>
      html`<tr>${row.map((cell) => html`<td class="${alignment(cell.align)}">${cell.text}</td>`)}</tr>`,
  )}</tbody></table></div>\n`;
}

const alignment = (align: AlignType): string => (align === null ? 'left' : align);
