import type { Oid } from '../domain/ids.ts';
import { findSecrets, newSecrets, secretNames } from '../host/find-secrets.ts';
import type { Redactor } from '../host/redact.ts';
import type { SecretMatch } from '../host/secret-rules.ts';
import type { ObjectReader } from './objects.ts';

/** One path of a change: its blobs before and after, null where there is none to read. */
export interface ChangedBlob {
  readonly path: string;
  /** True when the path is not there any more: it brings nothing in. */
  readonly isGone: boolean;
  readonly before: Oid | null;
  readonly after: Oid | null;
}

/** `path` is cleaned and may be shown; `found` names rules, never values. */
export interface LeakedSecret {
  readonly path: string;
  readonly blob: Oid | null;
  readonly found: readonly string[];
}

/**
 * Secrets that a change brings in, by its files' names and bytes. What any of the changed files held before is not new, so
 * that a file with a made-up key in it can be edited and moved.
 */
export async function leakedSecrets(
  objects: ObjectReader,
  changes: readonly ChangedBlob[],
  redactor: Redactor,
): Promise<LeakedSecret[]> {
  const suspects: { readonly change: ChangedBlob; readonly found: readonly SecretMatch[] }[] = [];
  for (const change of changes.filter(({ isGone }) => !isGone)) {
    const inside = change.after === null ? [] : await findIn(objects, change.after, redactor);
    const found = [...(await findSecrets(change.path, redactor)), ...inside];
    if (found.length > 0) suspects.push({ change, found });
  }
  if (suspects.length === 0) return [];
  const before: SecretMatch[] = [];
  for (const change of changes) {
    if (change.before !== null) before.push(...(await findIn(objects, change.before, redactor)));
  }
  return suspects.flatMap(({ change, found }) => {
    const fresh = secretNames(newSecrets(found, before));
    if (fresh.length === 0) return [];
    return [{ path: redactor.clean(change.path), blob: change.after, found: fresh }];
  });
}

async function findIn(objects: ObjectReader, blob: Oid, redactor: Redactor): Promise<SecretMatch[]> {
  return findSecrets(await objects.readBlob(blob), redactor);
}
