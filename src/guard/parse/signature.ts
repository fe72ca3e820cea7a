import { isDirective } from './directives.ts';
import { isComment, type ParsedFile, type SyntaxNode } from './syntax.ts';

/** Nodes whose blanks are content. */
const verbatim =
  /string|heredoc|nowdoc|regex|template|char_literal|character|text_block|jsx_text|shell_command|subshell/;

/**
 * What a node says, written so that layout does not count and everything else does: types of inner nodes, texts of leaves.
 * Left out are blanks, comments (but not directives) and a comma before a closing bracket. Two nodes with equal signatures
 * mean the same to the language.
 */
export function signature(file: ParsedFile, node: SyntaxNode, skip?: SyntaxNode | null): string {
  const parts: string[] = [];
  write(file, node, skip ?? null, parts);
  return parts.join(' ');
}

function write(file: ParsedFile, node: SyntaxNode, skip: SyntaxNode | null, parts: string[]): void {
  if (node === skip) {
    parts.push('\u{1}');
    return;
  }
  const text = file.text.slice(node.start, node.end);
  if (isComment(node)) {
    if (isDirective(file.language, text)) parts.push(text);
    return;
  }
  if (node.children.length === 0 || verbatim.test(node.type)) {
    if (text !== '') parts.push(text);
    return;
  }
  parts.push(`(${node.type}`);
  let at = node.start;
  node.children.forEach((child, index) => {
    writeGap(file.text.slice(at, child.start), parts);
    at = child.end;
    if (!isTrailingComma(node.children, index)) write(file, child, skip, parts);
  });
  writeGap(file.text.slice(at, node.end), parts);
  parts.push(')');
}

/** Text between children that no node covers, such as the plain pieces of some literals. */
function writeGap(gap: string, parts: string[]): void {
  const trimmed = gap.trim();
  if (trimmed !== '') parts.push(trimmed);
}

function isTrailingComma(siblings: readonly SyntaxNode[], index: number): boolean {
  if (siblings[index]?.type !== ',') return false;
  const next = siblings.slice(index + 1).find((node) => !isComment(node));
  const before = siblings.slice(0, index).findLast((node) => !isComment(node));
  return next !== undefined && [')', ']', '}'].includes(next.type) && before?.type !== ',';
}
