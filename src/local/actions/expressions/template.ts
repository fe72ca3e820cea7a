import { evaluateExpression, type Scope } from './evaluate.ts';
import { coerceText, type Value } from './values.ts';

/** A piece of a template: literal text, or the inside of one `${{ … }}`. */
type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'expression'; readonly expression: string };

/** The index of the `}}` that closes an expression; a quoted `}}` does not close it. -1 when nothing does. */
function closingIndex(text: string, from: number): number {
  let quoted = false;
  for (let index = from; index < text.length - 1; index += 1) {
    if (text[index] === "'") quoted = !quoted;
    else if (!quoted && text.startsWith('}}', index)) return index;
  }
  return -1;
}

/** Splits a text into literal parts and expressions. An unclosed `${{` stays literal text. */
export function splitTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let position = 0;
  for (let open = text.indexOf('${{'); open >= 0; open = text.indexOf('${{', position)) {
    const close = closingIndex(text, open + 3);
    if (close < 0) break;
    if (open > position) parts.push({ kind: 'text', text: text.slice(position, open) });
    parts.push({ kind: 'expression', expression: text.slice(open + 3, close).trim() });
    position = close + 2;
  }
  if (position < text.length) parts.push({ kind: 'text', text: text.slice(position) });
  return parts;
}

/** Evaluates a text: a lone expression keeps its type, anything else becomes text. */
export function renderTemplate(text: string, scope: Scope): Value {
  const parts = splitTemplate(text);
  const [only] = parts;
  if (parts.length === 1 && only?.kind === 'expression') return evaluateExpression(only.expression, scope);
  return parts
    .map((part) =>
      part.kind === 'text' ? part.text : coerceText(evaluateExpression(part.expression, scope)),
    )
    .join('');
}

/** Evaluates every text inside a value, keys included. */
export function renderValue(value: Value, scope: Scope): Value {
  if (typeof value === 'string') return renderTemplate(value, scope);
  if (Array.isArray(value)) return value.map((item) => renderValue(item, scope));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value as { readonly [key: string]: Value });
  return Object.fromEntries(
    entries.map(([key, item]) => [coerceText(renderTemplate(key, scope)), renderValue(item, scope)]),
  );
}

/** Evaluates a value and writes it as text. */
export function renderText(value: Value, scope: Scope): string {
  return coerceText(renderValue(value, scope));
}

/** Evaluates a mapping to texts, as `env`, `with` and `outputs` need it. A whole mapping may be one expression. */
export function renderTexts(value: Value | undefined, scope: Scope): Record<string, string> {
  const rendered = value === undefined ? null : renderValue(value, scope);
  if (rendered === null || typeof rendered !== 'object' || Array.isArray(rendered)) return {};
  return Object.fromEntries(Object.entries(rendered).map(([key, item]) => [key, coerceText(item as Value)]));
}
