import type { Nodes } from 'mdast';
import type { Edit } from './edit.ts';
import { spanOf } from './markdown.ts';

const drawnLanguages: ReadonlySet<string> = new Set(['mermaid', 'math', 'geojson', 'topojson', 'stl']);

/** True for the languages whose blocks GitHub draws: comments, names and descriptions in them are on no page. */
export function isDrawn(lang: string | null | undefined): boolean {
  return drawnLanguages.has(lang?.toLowerCase() ?? '');
}

/** With a command in it: one without hides nothing. */
const formula = /\$\$(?:[^$]|\$(?!\$))+\$\$|\$(?=\S)[^$]+(?<=\S)\$/g;
const hides = /\\[a-z]|(?<!\\)%/i;

/** Formulas with commands or comments, which can hide what they hold; between dollars, in a paragraph, heading or cell. */
export function formulaEdits(nodes: readonly Nodes[], source: string): Edit[] {
  const codes = nodes.filter(({ type }) => type === 'inlineCode').map(spanOf);
  const isCode = (at: number) => codes.some(({ start, end }) => start <= at && at < end);
  return nodes.flatMap((node) => {
    if (!['paragraph', 'heading', 'tableCell'].includes(node.type)) return [];
    const { start, end } = spanOf(node);
    return [...source.slice(start, end).matchAll(formula)].flatMap(({ 0: whole, index }) => {
      const from = start + index;
      if (!hides.test(whole) || isCode(from)) return [];
      return [{ start: from, end: from + whole.length, text: '(a formula)' }];
    });
  });
}
