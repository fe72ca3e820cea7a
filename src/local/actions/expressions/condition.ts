import { Lexer } from '@actions/expressions';
import { evaluateExpression, type Scope } from './evaluate.ts';
import { splitTemplate } from './template.ts';
import { isTruthy, type Value } from './values.ts';

const STATUS_FUNCTIONS = new Set(['success', 'failure', 'always', 'cancelled']);

/** Whether an expression calls a status function itself, so that `success() &&` is not put before it. */
function callsStatusFunction(expression: string): boolean {
  const { tokens } = new Lexer(expression).lex();
  return tokens.some(
    (token, index) => STATUS_FUNCTIONS.has(token.lexeme.toLowerCase()) && tokens[index + 1]?.lexeme === '(',
  );
}

/**
 * The expression behind an `if`: with or without `${{ }}`, and joined with `success()` unless it speaks of the
 * status itself (GitHub's rule: "a default status check of success() is applied").
 */
export function conditionExpression(source: Value | undefined): string {
  const text = source === undefined || source === null ? '' : String(source).trim();
  if (text === '') return 'success()';
  const parts = splitTemplate(text);
  const [only] = parts;
  const expression = parts.length === 1 && only?.kind === 'expression' ? only.expression : inline(text);
  return callsStatusFunction(expression) ? expression : `success() && (${expression})`;
}

/** `a && ${{ b }}` is read as `a && b`, as the service does for an `if` that mixes both forms. */
function inline(text: string): string {
  return splitTemplate(text)
    .map((part) => (part.kind === 'text' ? part.text : `(${part.expression})`))
    .join('');
}

/** Evaluates an `if`. */
export function evaluateCondition(source: Value | undefined, scope: Scope): boolean {
  return isTruthy(evaluateExpression(conditionExpression(source), scope));
}
