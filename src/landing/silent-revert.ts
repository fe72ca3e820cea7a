import type { Oid } from '../domain/ids.ts';

/** One path that a build changes: blob before and after (null: not there). */
export interface ChangedBlob {
  readonly path: string;
  readonly before: Oid | null;
  readonly after: Oid | null;
}

/**
 * Paths that a change puts back to a version that trunk has left: the mark of a stale check-out, green or not. A deletion counts
 * only beside a file that was put back, because taking away what was added lately is everyday work.
 * Source: invariant I9 and the incident reports behind it in the landing research.
 */
export function findSilentReverts(
  changed: readonly ChangedBlob[],
  left: ReadonlyMap<string, readonly (Oid | null)[]>,
): string[] {
  const putBack = changed.filter(
    ({ path, before, after }) => after !== null && before !== null && (left.get(path) ?? []).includes(after),
  );
  if (putBack.length === 0) return [];
  const deletedAgain = changed.filter(
    ({ path, after }) => after === null && (left.get(path) ?? []).includes(null),
  );
  return [...putBack, ...deletedAgain].map(({ path }) => path).sort();
}
