import { data } from '@actions/expressions';

/** A value as workflow expressions know it: plain JSON. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

/** Turns plain JSON into the evaluator's own representation. */
export function toExpressionData(value: Value | undefined): data.ExpressionData {
  if (value === null || value === undefined) return new data.Null();
  if (typeof value === 'string') return new data.StringData(value);
  if (typeof value === 'number') return new data.NumberData(value);
  if (typeof value === 'boolean') return new data.BooleanData(value);
  if (Array.isArray(value)) return new data.Array(...value.map(toExpressionData));
  const pairs = Object.entries(value as { readonly [key: string]: Value });
  return new data.Dictionary(...pairs.map(([key, item]) => ({ key, value: toExpressionData(item) })));
}

/** Turns the evaluator's representation back into plain JSON. */
export function fromExpressionData(value: data.ExpressionData): Value {
  switch (value.kind) {
    case data.Kind.Null:
      return null;
    case data.Kind.String:
    case data.Kind.Number:
    case data.Kind.Boolean:
      return (value as data.StringData | data.NumberData | data.BooleanData).value;
    case data.Kind.Array:
      return (value as data.Array).values().map(fromExpressionData);
    default:
      return Object.fromEntries(
        (value as data.Dictionary).pairs().map((pair) => [pair.key, fromExpressionData(pair.value)]),
      );
  }
}

/** What `if` makes of a value: false, 0, empty text and null are false, everything else is true. */
export function isTruthy(value: Value): boolean {
  return !(value === null || value === false || value === 0 || value === '' || Number.isNaN(value));
}

/** The text GitHub writes for a value inside a longer text (`Object`, `Array` for the composite ones). */
export function coerceText(value: Value): string {
  return toExpressionData(value).coerceString();
}
