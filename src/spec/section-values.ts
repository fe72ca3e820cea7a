import type { List, RootContent } from 'mdast';
import { spanOf } from './markdown.ts';
import type { Section } from './sections.ts';
import { fieldShapes } from './spec-fields.ts';

/** What stands under a heading, as the plain data that YAML would have given; null when nothing was filled in. */
export function sectionValue(section: Section, visible: string): unknown {
  const text = textOf(section.nodes, visible);
  if (text === '' || text === '_No response_') return null;
  switch (fieldShapes[section.field]) {
    case 'text':
      return text;
    case 'word':
      return unwrap(text).toLowerCase();
    case 'number':
      return numberOr(unwrap(text));
    case 'command':
      return commandOf(section.nodes, text);
    case 'entries':
      return entriesOf(section.nodes, visible);
    case 'words':
      return entriesOf(section.nodes, visible).flatMap(wordsOf);
    case 'pairs':
      return pairsOf(entriesOf(section.nodes, visible));
    case 'allow':
      return allowOf(entriesOf(section.nodes, visible));
  }
}

function textOf(nodes: readonly RootContent[], visible: string): string {
  const first = nodes[0];
  const last = nodes.at(-1);
  if (first === undefined || last === undefined) return '';
  return withoutBlocks(nodes, visible, spanOf(first).start, spanOf(last).end).trim();
}

/** Joins the nodes' own characters; what lies between them (a `ccd` block) is left out. */
function withoutBlocks(nodes: readonly RootContent[], visible: string, start: number, end: number): string {
  let text = '';
  let from = start;
  for (const node of nodes) {
    const span = spanOf(node);
    const gap = visible.slice(from, span.start);
    text += (gap.trim() === '' ? gap : '\n\n') + visible.slice(span.start, span.end);
    from = span.end;
  }
  return text + visible.slice(from, end);
}

/** A fenced or indented block gives its content; everything else its characters, so that `*` and `_` in paths survive. */
function entriesOf(nodes: readonly RootContent[], visible: string): string[] {
  const entries = nodes.flatMap((node) => {
    if (node.type === 'code') return node.value.split('\n');
    if (node.type === 'list') return itemsOf(node, visible);
    return visible.slice(spanOf(node).start, spanOf(node).end).split('\n');
  });
  return entries.map(unwrap).filter((entry) => entry !== '' && entry !== '_No response_');
}

function itemsOf(list: List, visible: string): string[] {
  return list.children.map((item) => {
    const [first] = item.children;
    const last = item.children.at(-1);
    if (first === undefined || last === undefined) return '';
    const text = visible.slice(spanOf(first).start, spanOf(last).end);
    return text
      .split('\n')
      .map((line) => line.trim())
      .join('\n');
  });
}

function commandOf(nodes: readonly RootContent[], text: string): string {
  const [only] = nodes;
  return nodes.length === 1 && only?.type === 'code' ? only.value.trim() : unwrap(text);
}

/** Takes the backticks off an entry that is one code span as a whole. */
function unwrap(text: string): string {
  const trimmed = text.trim();
  const span = /^(`+)([^`]+(?:[^`][\s\S]*?)?)\1$/.exec(trimmed);
  return (span?.[2] ?? trimmed).trim();
}

function wordsOf(entry: string): string[] {
  return entry
    .split(/\s*,\s*|\s+and\s+|\s+/)
    .map(unwrap)
    .filter((word) => word !== '');
}

function numberOr(text: string): number | string {
  return /^\d{1,12}(?:\.\d{1,6})?$/.test(text) ? Number(text) : text;
}

/** `key: value` lines as a record; a line of another form or a second line for a key becomes a key that no schema knows. */
function pairsOf(entries: readonly string[]): Record<string, unknown> {
  const pairs: Record<string, unknown> = Object.create(null);
  for (const [key, value] of entries.map(splitPair))
    pairs[key in pairs ? `${key} (again)` : key] = numberOr(value);
  return pairs;
}

function allowOf(entries: readonly string[]): Record<string, unknown> {
  const allow: Record<string, unknown[]> = Object.create(null);
  for (const [key, value] of entries.map(splitPair)) {
    const pair = value.split(/\s+->\s+/);
    const read = key === 'rename' && pair.length === 2 ? pair.map(unwrap) : unwrap(value);
    allow[key] = [...(allow[key] ?? []), read];
  }
  return allow;
}

function splitPair(entry: string): [string, string] {
  const at = entry.indexOf(':');
  if (at < 0) return [entry, ''];
  const key = entry.slice(0, at).trim().toLowerCase().replace(/\s+/g, '_');
  return [key, entry.slice(at + 1).trim()];
}
