import type { Clock } from '../host/clock.ts';
import type { ArtifactStore, ArtifactUpload } from './artifact-store.ts';

const waitsMs = [1000, 2000, 4000];

/**
 * Uploads with three retries. True when the artifact is there: a name that is taken counts, because names are ours alone
 * and carry attempt and sequence, so an earlier try of this very upload has arrived.
 */
export async function uploadWithRetries(
  artifacts: ArtifactStore,
  upload: ArtifactUpload,
  clock: Clock,
  onFailure: (cause: unknown) => void = () => undefined,
): Promise<boolean> {
  for (const waitMs of [...waitsMs, null]) {
    try {
      await artifacts.upload(upload);
      return true;
    } catch (cause) {
      if (isTaken(cause)) return true;
      onFailure(cause);
      if (waitMs !== null) await clock.sleep(waitMs);
    }
  }
  return false;
}

/** As the artifact service says it. A bare 409 may be part of a port or an id in the message of any other fault. */
function isTaken(cause: unknown): boolean {
  return cause instanceof Error && /already exists|\(409\)/i.test(cause.message);
}
