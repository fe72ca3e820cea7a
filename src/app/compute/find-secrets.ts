import { digestValue } from '../../domain/digest.ts';
import type { Oid } from '../../domain/ids.ts';
import type { Finding } from '../../domain/verdict.ts';
import type { Clone } from '../../git/bare-clone.ts';
import { changedBlobs } from '../../git/changed-blobs.ts';
import { leakedSecrets } from '../../git/leaked-secrets.ts';
import { createRedactor } from '../../host/redact.ts';

/**
 * Secrets that the change brings in, in files, targets of links or names; the worker looked already, but its word is not
 * taken for it.
 */
export async function findSecrets(clone: Clone, base: Oid, head: Oid): Promise<Finding[]> {
  const changes = await changedBlobs(clone, base, head);
  const leaks = await leakedSecrets(clone.objects, changes, createRedactor([]));
  return leaks.map(({ path, blob, found }) => ({
    rule: 'R0',
    class: 'secret',
    file: path,
    line: null,
    reason: `The file holds something shaped like a secret (${found.join(', ')}).`,
    remedy: 'Take it out, and revoke it if it is real.',
    fingerprint: digestValue({ rule: 'R0', class: 'secret', path, blob }),
  }));
}
