import type { Oid } from '../domain/ids.ts';

/** One side of a path: mode and blob, or null when the path is not there. */
export type Side = { readonly mode: string; readonly oid: Oid } | null;

export interface NetChange {
  readonly path: string;
  readonly before: Side;
  readonly after: Side;
}

/**
 * What a build changes beyond its members: paths that no member touches, and paths whose base side is the member's own base side
 * but whose result is not the member's. Empty for an exact composition.
 */
export function findSurplus(
  build: readonly NetChange[],
  members: readonly (readonly NetChange[])[],
): string[] {
  const byPath = new Map<string, NetChange[]>();
  for (const change of members.flat()) byPath.set(change.path, [...(byPath.get(change.path) ?? []), change]);
  return build
    .filter((change) => {
      const own = byPath.get(change.path);
      if (own === undefined) return true;
      const [only] = own;
      return (
        own.length === 1 &&
        only !== undefined &&
        equal(only.before, change.before) &&
        !equal(only.after, change.after)
      );
    })
    .map(({ path }) => path)
    .sort();
}

function equal(left: Side, right: Side): boolean {
  return left?.mode === right?.mode && left?.oid === right?.oid;
}
