import type { Nodes } from 'mdast';
import type { Edit } from './edit.ts';
import { spanOf } from './markdown.ts';

const definition = /^\[\^([^\]\s]+)\]:/;
/** A definition may begin in the middle of a paragraph, behind the marks of quotations. */
const laterDefinition = /\n[ \t>]*(?=\[\^[^\]\s]+\]:)/g;
const reference = /(?<!\\)\[\^([^\]\s]+)\](?!:)/g;

interface Note {
  readonly label: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Footnotes that nothing refers to, and second ones of one name, are not on the page, and neither are the indented blocks below
 * them. Our parser does not know footnotes: they are found in what it takes for paragraphs and definitions.
 */
export function unreadFootnotes(nodes: readonly Nodes[], source: string): Edit[] {
  const notes = nodes.flatMap((node) => notesIn(node, source));
  if (notes.length === 0) return [];
  const read = labelsReferredTo(nodes, source, notes);
  const unread = new Set<Note>();
  for (const note of notes) if (!read.delete(note.label)) unread.add(note);
  const ends = new Set([...unread].map(({ end }) => end));
  return [...unread, ...nodes.flatMap((node) => goingOn(node, source, ends))].map(({ start, end }) => ({
    start,
    end,
    text: '',
  }));
}

function notesIn(node: Nodes, source: string): Note[] {
  if (!['paragraph', 'heading', 'table', 'definition'].includes(node.type)) return [];
  const { start, end } = spanOf(node);
  const text = source.slice(start, end);
  const starts = [0, ...[...text.matchAll(laterDefinition)].map((found) => found.index + found[0].length)];
  return starts.flatMap((from, index) => {
    const label = definition.exec(text.slice(from))?.[1];
    if (label === undefined) return [];
    return [
      { label: label.toLowerCase(), start: start + from, end: start + (starts[index + 1] ?? text.length) },
    ];
  });
}

function labelsReferredTo(nodes: readonly Nodes[], source: string, notes: readonly Note[]): Set<string> {
  const labels = new Set<string>();
  for (const node of nodes) {
    if (node.type !== 'text' && node.type !== 'linkReference') continue;
    const { start, end } = spanOf(node);
    for (const { 0: whole, 1: label = '', index } of source.slice(start, end + 1).matchAll(reference)) {
      const at = start + index;
      if (at + whole.length <= end && !notes.some((note) => note.start <= at && at < note.end))
        labels.add(label.toLowerCase());
    }
  }
  return labels;
}

/** The indented blocks right behind an unread note, among the blocks of one parent. */
function goingOn(node: Nodes, source: string, ends: ReadonlySet<number>): Edit[] {
  const edits: Edit[] = [];
  if (!('children' in node)) return edits;
  let inNote = false;
  for (const block of node.children) {
    const { start, end } = spanOf(block);
    inNote = ends.has(end) || (inNote && block.type === 'code' && !/^[`~]/.test(source.slice(start, end)));
    if (inNote && block.type === 'code') edits.push({ start, end, text: '' });
  }
  return edits;
}
