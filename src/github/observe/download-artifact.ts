import type { DatabaseId } from '../../domain/ids.ts';
import { ApiFailure } from '../api-failure.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';

/** `bytes` is a zip archive made by a worker, and hostile. */
export type ArtifactDownload =
  | { readonly kind: 'done'; readonly bytes: Uint8Array }
  | { readonly kind: 'gone' }
  | { readonly kind: 'too-large'; readonly maxBytes: number }
  | { readonly kind: 'unclear'; readonly cause: string };

const timeoutMs = 120_000;

/**
 * Downloads an artifact's archive. The address that GitHub redirects to carries its own right, so that our token goes to
 * no other host. Reading stops at `maxBytes`, whatever length was announced.
 * Throws ApiFailure when the first request is refused otherwise than by 404 or 410.
 */
export async function downloadArtifact(
  client: GitHubClient,
  repo: RepoName,
  id: DatabaseId,
  limits: { readonly maxBytes: number },
): Promise<ArtifactDownload> {
  const route = 'GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}';
  const params = { ...repoParams(repo), artifact_id: id, archive_format: 'zip' };
  try {
    const address = await client.redirectOf(route, params);
    if (address === null) return { kind: 'gone' };
    return await fetchLimited(client.fetch, address, limits.maxBytes);
  } catch (error) {
    if (error instanceof ApiFailure && error.failure.kind !== 'unclear') throw error;
    return { kind: 'unclear', cause: error instanceof Error ? error.message : String(error) };
  }
}

async function fetchLimited(
  fetch: typeof globalThis.fetch,
  address: string,
  maxBytes: number,
): Promise<ArtifactDownload> {
  const response = await fetch(address, { signal: AbortSignal.timeout(timeoutMs) });
  if (response.status === 404 || response.status === 410) {
    await response.body?.cancel();
    return { kind: 'gone' };
  }
  if (!response.ok) {
    await response.body?.cancel();
    return { kind: 'unclear', cause: `the storage answered ${response.status}` };
  }
  return readLimited(response, maxBytes);
}

async function readLimited(response: Response, maxBytes: number): Promise<ArtifactDownload> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
    length += part.value.byteLength;
    if (length > maxBytes) {
      await reader?.cancel();
      return { kind: 'too-large', maxBytes };
    }
    chunks.push(part.value);
  }
  return { kind: 'done', bytes: Buffer.concat(chunks, length) };
}
