import { signature } from '../../parse/signature.ts';
import type { ParsedFile, SyntaxNode } from '../../parse/syntax.ts';

/** A place in code that games tests where it stands in production. `key` is equal for equal code, wherever it stands. */
export interface Signal {
  readonly class: string;
  readonly key: string;
  readonly node: SyntaxNode;
  /** What the code does, to follow "code". */
  readonly what: string;
}

export function signal(file: ParsedFile, word: string, node: SyntaxNode, what: string): Signal {
  return { class: word, key: `${word} ${signature(file, node)}`, node, what };
}
