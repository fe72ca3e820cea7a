import { isAbsolute, join, relative } from 'node:path';
import { parse, stringify } from 'devalue';
import { GitRepository } from '../git/repository.ts';
import type { BlobFolder } from './blob-folder.ts';

/**
 * Records as text and back, with what they share and their Maps and Sets. Repositories become their place below `dataDir`, bytes the
 * name of a blob (`names` collects them), own keys called `__proto__` stay keys. Throws for a function or another class's object:
 * a record that holds one cannot be kept.
 */
export function encode(value: unknown, dataDir: string, blobs: BlobFolder, names: Set<string>): string {
  return stringify(value, {
    Git: (one: unknown) => one instanceof GitRepository && placeOf(one.dir, dataDir),
    Bytes: (one: unknown) => {
      if (!Buffer.isBuffer(one)) return false;
      const name = blobs.put(one);
      names.add(name);
      return [name];
    },
    Entries: (one: unknown) =>
      typeof one === 'object' && one !== null && Object.hasOwn(one, '__proto__') && Object.entries(one),
  });
}

/** The inverse of `encode`. */
export function decode(text: string, dataDir: string, blobs: BlobFolder): unknown {
  return parse(text, {
    Git: (place: string) => new GitRepository(join(dataDir, inside(place))),
    Bytes: ([name]: readonly string[]) => blobs.get(name!),
    Entries: (entries: readonly (readonly [string, unknown])[]) => Object.fromEntries(entries),
  });
}

const placeOf = (dir: string, dataDir: string): string => inside(relative(dataDir, dir));

/** A state that was copied from elsewhere must not lead to other folders of this machine. */
function inside(place: string): string {
  if (place === '' || isAbsolute(place) || place.split('/').includes('..'))
    throw new TypeError(`a repository outside the folder: ${place}`);
  return place;
}
