import type { Oid } from '../domain/ids.ts';
import type { ObjectReader } from '../git/objects.ts';

/** Text of a regular file in a commit's tree; null when there is none, or it is larger than `maxBytes`. */
export async function readBaseFile(
  objects: ObjectReader,
  commit: Oid,
  path: string,
  maxBytes: number,
): Promise<string | null> {
  const parts = path.split('/');
  let level: Oid = commit;
  for (const [index, part] of parts.entries()) {
    const node = (await objects.readTreeLevel(level)).find(({ name }) => name === part);
    if (node === undefined) return null;
    if (index < parts.length - 1) {
      if (node.kind !== 'tree') return null;
      level = node.oid;
      continue;
    }
    const info = node.kind === 'blob' ? await objects.info(node.oid) : null;
    return info === null || info.size > maxBytes
      ? null
      : (await objects.readBlob(node.oid, maxBytes)).toString('utf8');
  }
  return null;
}
