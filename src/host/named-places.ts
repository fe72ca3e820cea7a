import type { Place } from './secret-places.ts';

/** A place that is not what the read-only root says: shut, opened for reading, or opened for writing. */
interface NamedPlace extends Place {
  readonly how: 'hidden' | 'readable' | 'writable';
}

interface Places {
  readonly writable: readonly string[];
  readonly hidden: readonly Place[];
  readonly readable: readonly Place[];
}

const rank: Record<NamedPlace['how'], number> = { hidden: 0, readable: 1, writable: 2 };

/**
 * All named places, outer ones first, so that the innermost name decides: a shut folder inside an opened one stays shut,
 * whatever opened the outer one. The same path twice: writable before readable before hidden.
 */
export function placesInOrder({ writable, hidden, readable }: Places): NamedPlace[] {
  const all: NamedPlace[] = [
    ...hidden.map((place) => ({ ...place, how: 'hidden' as const })),
    ...readable.map((place) => ({ ...place, how: 'readable' as const })),
    ...writable.map((path) => ({ path, kind: 'folder' as const, how: 'writable' as const })),
  ];
  return all.sort((left, right) => compare(left.path, right.path) || rank[left.how] - rank[right.how]);
}

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** True for the folder itself and all below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
