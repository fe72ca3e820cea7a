import { isCall } from '../../parse/call-chain.ts';
import type { ParsedFile, SyntaxNode } from '../../parse/syntax.ts';
import { type Kept, keptBy } from './assertion-reach.ts';
import { type Strength, strengthOf } from './assertion-strength.ts';
import { isAssertion } from './is-assertion.ts';

export interface Assertion {
  readonly node: SyntaxNode;
  readonly strength: Strength;
  readonly kept: Kept;
}

/** The assertions of a test, outermost first. */
export function assertionsIn(file: ParsedFile, test: SyntaxNode, helpers: ReadonlySet<string>): Assertion[] {
  const found: Assertion[] = [];
  const visit = (node: SyntaxNode): void => {
    if ((node !== test || isCall(node)) && isAssertion(file, node, helpers)) {
      found.push({ node, strength: strengthOf(file, node, test), kept: keptBy(file, node, test, helpers) });
      return;
    }
    for (const child of node.children) visit(child);
  };
  visit(test);
  return found;
}
