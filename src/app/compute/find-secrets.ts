import { digestValue } from '../../domain/digest.ts';
import type { Oid } from '../../domain/ids.ts';
import type { Finding } from '../../domain/verdict.ts';
import type { Clone } from '../../git/bare-clone.ts';
import { netChange } from '../../git/net-change.ts';
import { createRedactor } from '../../host/redact.ts';

/** Secrets by their shape in changed files, targets of links, or names; the worker looked already, but its word is not taken for it. */
export async function findSecrets(clone: Clone, base: Oid, head: Oid): Promise<Finding[]> {
  const redactor = createRedactor([]);
  const findings: Finding[] = [];
  for (const { path, after } of await netChange(clone, base, head)) {
    if (after === null) continue;
    // What a submodule names lies in another repository.
    const inside = after.mode === '160000' ? [] : redactor.find(await clone.objects.readBlob(after.oid));
    const kinds = [...redactor.find(path), ...inside];
    if (kinds.length === 0) continue;
    findings.push({
      rule: 'R0',
      class: 'secret',
      file: redactor.clean(path),
      line: null,
      reason: `The file holds something shaped like a secret (${[...new Set(kinds)].join(', ')}).`,
      remedy: 'Take it out, and revoke it if it is real.',
      fingerprint: digestValue({ rule: 'R0', class: 'secret', path, blob: after.oid }),
    });
  }
  return findings;
}
