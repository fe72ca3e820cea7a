import { stringValue } from '../../parse/call-chain.ts';
import { type ParsedFile, type SyntaxNode, textOf, walk } from '../../parse/syntax.ts';

/** A literal by its value: numbers and strings that mean the same are equal, whatever they are spelled like. */
export interface Literal {
  readonly key: string;
  readonly node: SyntaxNode;
}

const numberTypes =
  /^(number|integer|float|int_literal|float_literal|integer_literal|real_literal|decimal_(integer|floating_point)_literal|hex_integer_literal|octal_integer_literal|binary_integer_literal)$/;
const stringTypes =
  /^(string|template_string|interpreted_string_literal|raw_string_literal|string_literal|encapsed_string|simple_symbol|verbatim_string_literal|char_literal|rune_literal|character_literal|character|concatenated_string|heredoc|nowdoc)$/;

export function isLiteral(node: SyntaxNode): boolean {
  return numberTypes.test(node.type) || stringTypes.test(node.type) || isConstantWord(node);
}

export function isConstantWord(node: SyntaxNode): boolean {
  return /^(true|false|null|none|nil|undefined|boolean_literal|boolean|null_literal|True|False|None)$/.test(
    node.type,
  );
}

/** Key of a number or string literal; null for other nodes and for strings that are computed. */
export function literalKey(file: ParsedFile, node: SyntaxNode): string | null {
  if (numberTypes.test(node.type)) {
    const value = numberValue(textOf(file, node));
    return value === null ? null : `n:${isNegated(node) ? -value : value}`;
  }
  if (!stringTypes.test(node.type)) return null;
  const value = stringValue(file, node);
  return value === null ? null : `s:${value}`;
}

function isNegated(node: SyntaxNode): boolean {
  const parent = node.parent;
  return parent !== null && /unary/.test(parent.type) && parent.children[0]?.type === '-';
}

/** Value of a number as languages write it: separators, prefixes, suffixes. */
export function numberValue(text: string): number | null {
  const plain = text
    .toLowerCase()
    .replaceAll('_', '')
    .replace(/(?<!^0x[0-9a-f]*)(n|ul|lu|l|u|f32|f64|[iu](8|16|32|64|128|size)|f|d|m)$/, '');
  const octal = /^0([0-7]+)$/.exec(plain);
  const value = octal?.[1] !== undefined ? Number.parseInt(octal[1], 8) : Number(plain);
  return Number.isFinite(value) ? value : null;
}

/** All number and string literals below a node. */
export function literalsIn(file: ParsedFile, root: SyntaxNode): Literal[] {
  const found: Literal[] = [];
  for (const node of walk(root)) {
    const key = literalKey(file, node);
    if (key !== null) found.push({ key, node });
  }
  return found;
}
