import { isComment, type ParsedFile, walk } from './syntax.ts';

/** Numbers (from 1) of the lines that hold more than blanks and comments. */
export function codeLines(file: ParsedFile): ReadonlySet<number> {
  const lines = new Set<number>();
  for (const node of walk(file.root)) {
    if (node.children.length > 0 || isComment(node) || insideComment(node)) continue;
    if (node.start === node.end) continue;
    const text = file.text.slice(node.start, node.end);
    let line = node.line;
    for (const piece of text.split('\n')) {
      if (piece.trim() !== '') lines.add(line);
      line += 1;
    }
  }
  return lines;
}

function insideComment(node: { readonly parent: { readonly type: string } | null }): boolean {
  return node.parent?.type.endsWith('comment') ?? false;
}
