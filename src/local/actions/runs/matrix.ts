import type { Value } from '../expressions/values.ts';

type Combination = { readonly [key: string]: Value };

/** "A matrix will generate a maximum of 256 jobs per workflow run" (docs.github.com, "Usage limits"). */
const MAX_JOBS = 256;
/** Combinations that are looked at, those that are excluded again included. */
const MAX_COMBINATIONS = 10_000;

function tooMany(): never {
  throw new RangeError(`The matrix makes more than ${MAX_JOBS} jobs`);
}

function product(axes: readonly (readonly [string, readonly Value[]])[]): Combination[] {
  return axes.reduce<Combination[]>(
    (combinations, [key, values]) =>
      combinations.flatMap((combination) => values.map((value) => ({ ...combination, [key]: value }))),
    [{}],
  );
}

const same = (a: Value | undefined, b: Value): boolean => JSON.stringify(a) === JSON.stringify(b);
const covers = (combination: Combination, part: Combination): boolean =>
  Object.entries(part).every(([key, value]) => same(combination[key], value));
const asCombinations = (value: Value | undefined): Combination[] =>
  Array.isArray(value)
    ? value.filter((item): item is Combination => typeof item === 'object' && item !== null)
    : [];

/**
 * Expands an evaluated `strategy.matrix` by GitHub's rules: the product of the axes, less `exclude`; an `include`
 * entry extends every combination whose original axes it does not contradict, otherwise it is one of its own.
 * No matrix, or an empty one, gives no combination. Throws RangeError for more than GitHub takes.
 */
export function expandMatrix(matrix: Value): Combination[] {
  if (matrix === null || typeof matrix !== 'object' || Array.isArray(matrix)) return [];
  const { include, exclude, ...rest } = matrix as Combination;
  const axes = Object.entries(rest).filter((entry): entry is [string, Value[]] => Array.isArray(entry[1]));
  if (axes.reduce((count, [, values]) => count * values.length, 1) > MAX_COMBINATIONS) tooMany();
  const excluded = asCombinations(exclude);
  const base = (axes.length === 0 ? [] : product(axes)).filter(
    (combination) => !excluded.some((part) => covers(combination, part)),
  );
  if (base.length > MAX_JOBS) tooMany();
  const result: Combination[] = [...base];
  for (const extra of asCombinations(include)) {
    const axisPart = Object.fromEntries(Object.entries(extra).filter(([key]) => key in rest));
    const targets = base
      .map((combination, index) => (covers(combination, axisPart) ? index : -1))
      .filter((i) => i >= 0);
    if (targets.length === 0) result.push(extra);
    if (result.length > MAX_JOBS) tooMany();
    for (const index of targets) result[index] = { ...result[index], ...extra };
  }
  return result;
}

/** `name (a, b)`, as GitHub names a matrix job that has no name of its own. */
export function matrixJobName(name: string, combination: Value): string {
  if (combination === null || typeof combination !== 'object') return name;
  const values = Object.values(combination).map((value) =>
    typeof value === 'object' ? JSON.stringify(value) : `${value}`,
  );
  return values.length === 0 ? name : `${name} (${values.join(', ')})`;
}
