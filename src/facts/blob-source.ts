import type { Oid } from '../domain/ids.ts';
import type { ObjectReader } from '../git/objects.ts';

const keptBytes = 256 * 1024 * 1024;

/** Reads blobs by id; what was read stays in memory up to a bound, since each side of a plan shares most of its files. */
export interface BlobSource {
  read(oid: Oid): Promise<Buffer>;
}

export function blobSource(objects: ObjectReader): BlobSource {
  const kept = new Map<Oid, Buffer>();
  let bytes = 0;
  return {
    read: async (oid) => {
      const known = kept.get(oid);
      if (known !== undefined) return known;
      const blob = await objects.readBlob(oid);
      if (bytes + blob.length <= keptBytes) {
        kept.set(oid, blob);
        bytes += blob.length;
      }
      return blob;
    },
  };
}
