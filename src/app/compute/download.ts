import { CcdError } from '../../domain/errors.ts';
import type { DatabaseId } from '../../domain/ids.ts';
import { readZip } from '../../git/read-zip.ts';
import { downloadArtifact } from '../../github/observe/download-artifact.ts';
import { parseHostileJson } from '../../host/hostile-json.ts';
import { maxArtifactBytes, type RepositoryContext } from '../context.ts';

export type Download =
  | { readonly kind: 'files'; readonly files: ReadonlyMap<string, Buffer> }
  /** A word for the state. */
  | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * An artifact's files. Its bytes were written by a worker: they are bounded before they are unpacked. Throws
 * `github.artifact-not-delivered` while the server does not answer; after an hour of that it is taken for unreadable.
 */
export async function downloadFiles(context: RepositoryContext, artifactId: DatabaseId): Promise<Download> {
  const download = await downloadArtifact(context.client, context.name, artifactId, {
    maxBytes: maxArtifactBytes,
  });
  if (download.kind === 'gone') return { kind: 'unreadable', reason: 'artifact-gone' };
  if (download.kind === 'too-large') return { kind: 'unreadable', reason: 'artifact-too-large' };
  if (download.kind === 'unclear') {
    if (isGivenUp(context, artifactId)) return { kind: 'unreadable', reason: 'artifact-not-delivered' };
    throw notDelivered(artifactId, download.cause);
  }
  context.memory.undelivered.delete(artifactId);
  const zip = await readZip(Buffer.from(download.bytes));
  return zip.kind === 'read'
    ? { kind: 'files', files: zip.files }
    : { kind: 'unreadable', reason: 'artifact-malformed' };
}

/** As patient as an outage of the storage is long; neither alone, since looks may come fast and time may pass without any. */
const mostLooks = 10;
const mostWaitMs = 60 * 60_000;

/** Notes one more look in vain. */
function isGivenUp({ memory, clock }: RepositoryContext, artifactId: DatabaseId): boolean {
  const { since, looks } = memory.undelivered.get(artifactId) ?? { since: clock.now(), looks: 0 };
  memory.undelivered.set(artifactId, { since, looks: looks + 1 });
  return looks + 1 >= mostLooks && clock.now() - since >= mostWaitMs;
}

/** No answer is no judgement: the pass is given up, and the next one asks again. */
function notDelivered(artifactId: DatabaseId, cause: string): CcdError {
  return new CcdError({
    code: 'github.artifact-not-delivered',
    message: `Artifact ${artifactId} was not delivered: ${cause}.`,
    remedy: 'The next pass asks again.',
    audience: 'operator',
    retryable: true,
  });
}

/** JSON of one file of an artifact; null when it is none, or is made to use up the memory of its reader. */
export function jsonOf(files: ReadonlyMap<string, Buffer>, name: string, mostBytes?: number): unknown {
  const bytes = files.get(name);
  return bytes === undefined ? null : parseHostileJson(bytes, mostBytes);
}
