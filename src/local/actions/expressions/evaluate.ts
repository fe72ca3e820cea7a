import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import { fromExpressionData, toExpressionData, type Value } from './values.ts';

/** A function that an expression may call besides GitHub's built-in ones. Arguments and result are plain JSON. */
export interface ExpressionFunction {
  readonly name: string;
  readonly minArgs: number;
  readonly maxArgs: number;
  readonly call: (...args: Value[]) => Value;
}

/** Everything an expression can see: the contexts by name, and the functions of the place where it stands. */
export interface Scope {
  readonly contexts: Readonly<Record<string, Value>>;
  readonly functions: readonly ExpressionFunction[];
}

function definitionOf(fn: ExpressionFunction) {
  return {
    name: fn.name,
    minArgs: fn.minArgs,
    maxArgs: fn.maxArgs,
    call: (...args: data.ExpressionData[]) => toExpressionData(fn.call(...args.map(fromExpressionData))),
  };
}

/**
 * Evaluates one expression (the text between `${{` and `}}`) with GitHub's own evaluator.
 * Throws the evaluator's error when the expression is malformed or names an unknown context or function.
 */
export function evaluateExpression(expression: string, scope: Scope): Value {
  const definitions = scope.functions.map(definitionOf);
  const tree = new Parser(
    new Lexer(expression).lex().tokens,
    Object.keys(scope.contexts),
    definitions,
  ).parse();
  const contexts = new data.Dictionary(
    ...Object.entries(scope.contexts).map(([key, value]) => ({ key, value: toExpressionData(value) })),
  );
  const byName = new Map(definitions.map((definition) => [definition.name.toLowerCase(), definition]));
  return fromExpressionData(new Evaluator(tree, contexts, byName).evaluate());
}
