import type { Oid } from '../domain/ids.ts';
import { findSecrets, newSecrets, secretNames } from '../host/find-secrets.ts';
import { type Redactor, textOf } from '../host/redact.ts';
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
  const here = changes.filter(({ isGone }) => !isGone);
  const texts = here.flatMap((change) => [
    { change, read: async () => change.path },
    ...(change.after === null ? [] : [{ change, read: blobReader(objects, change.after) }]),
  ]);
  const suspects = await findAmong(texts, redactor);
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

interface Searched {
  readonly change: ChangedBlob;
  readonly read: () => Promise<string>;
}

interface Suspect {
  readonly change: ChangedBlob;
  readonly found: readonly SecretMatch[];
}

/** Texts are searched by the heap, as a search costs the same for one line and for thousands. */
const heapLength = 1024 * 1024;

/** What was found, by change. A heap in which something is found is searched again text by text. */
async function findAmong(texts: readonly Searched[], redactor: Redactor): Promise<Suspect[]> {
  const suspects = new Map<ChangedBlob, SecretMatch[]>();
  let heap: { readonly change: ChangedBlob; readonly text: string }[] = [];
  let length = 0;
  const search = async () => {
    const all = heap.map(({ text }) => text).join('\n');
    if ((await findSecrets(all, redactor)).length > 0) {
      for (const { change, text } of heap) {
        const found = await findSecrets(text, redactor);
        if (found.length > 0) suspects.set(change, [...(suspects.get(change) ?? []), ...found]);
      }
    }
    heap = [];
    length = 0;
  };
  for (const { change, read } of texts) {
    const text = await read();
    heap.push({ change, text });
    length += text.length;
    if (length >= heapLength) await search();
  }
  await search();
  return [...suspects].map(([change, found]) => ({ change, found }));
}

function blobReader(objects: ObjectReader, blob: Oid): () => Promise<string> {
  return async () => textOf(await objects.readBlob(blob));
}

async function findIn(objects: ObjectReader, blob: Oid, redactor: Redactor): Promise<SecretMatch[]> {
  return findSecrets(await objects.readBlob(blob), redactor);
}
