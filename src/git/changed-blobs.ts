import type { Oid } from '../domain/ids.ts';
import type { Clone } from './bare-clone.ts';
import type { ChangedBlob } from './leaked-secrets.ts';
import { type ChangeSide, netChange } from './net-change.ts';

/** The paths in which two trees or commits differ, with the blobs on both sides. What a submodule names lies in another repository. */
export async function changedBlobs(clone: Clone, from: Oid, to: Oid): Promise<ChangedBlob[]> {
  const blob = (side: ChangeSide | null) => (side === null || side.mode === '160000' ? null : side.oid);
  const changes = await netChange(clone, from, to);
  return changes.map(({ path, before, after }) => ({
    path,
    isGone: after === null,
    before: blob(before),
    after: blob(after),
  }));
}
