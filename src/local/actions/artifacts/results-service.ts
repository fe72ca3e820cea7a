import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { API_BYTES, readBody } from '../../read-body.ts';
import type { RawHandler } from '../../server.ts';
import { CACHE_SERVICE, callCacheService } from '../caches/cache-service.ts';
import type { CacheStore } from '../caches/cache-store.ts';
import type { RunEngine } from '../runs/run-engine.ts';
import type { Artifact, ArtifactStore } from './artifact-store.ts';
import { putBlob } from './put-blob.ts';
import { blobError, done, fail, type RpcAnswer } from './rpc.ts';
import type { RuntimeClaims, RuntimeTokens } from './runtime-token.ts';
import type { SignedUrls } from './signed-url.ts';

const SERVICE = '/twirp/github.actions.results.api.v1.ArtifactService/';
const UPLOAD_TIME = 3_600_000;
const DOWNLOAD_TIME = 60_000;

/** A wrapped value of protobuf's JSON form: bare or in an object. */
const wrapped = z.union([z.string(), z.number()]).transform(String);
const requestSchema = z.object({
  workflow_run_backend_id: z.string().optional(),
  workflow_job_run_backend_id: z.string().optional(),
  name: z.string().optional(),
  expires_at: z.string().optional(),
  mime_type: wrapped.optional(),
  size: wrapped.optional(),
  hash: wrapped.optional(),
  name_filter: wrapped.optional(),
  id_filter: wrapped.optional(),
});

type Request = z.infer<typeof requestSchema>;

const NO_RUN = fail(404, 'not_found', 'no such run');

interface ResultsServiceParts {
  readonly engine: RunEngine;
  readonly artifacts: ArtifactStore;
  readonly caches: CacheStore;
  readonly tokens: RuntimeTokens;
  readonly signed: SignedUrls;
  readonly now: () => number;
  /** Log of a job by its id as text, or of a run's attempt (`<run>-<attempt>`) as an archive, for signed addresses. */
  readonly logOf: (kind: 'log' | 'logs', id: string) => Promise<string | Buffer | null>;
}

/** The protocol of `@actions/artifact` and `@actions/cache`: small RPC services, and signed addresses for the bytes. */
export class ResultsService {
  readonly #parts: ResultsServiceParts;

  constructor(parts: ResultsServiceParts) {
    this.#parts = parts;
  }

  /** To be mounted before the REST routes. */
  readonly handle: RawHandler = (request, response, url) => {
    for (const service of [SERVICE, CACHE_SERVICE]) {
      if (!url.pathname.startsWith(service)) continue;
      const method = url.pathname.slice(service.length);
      void this.#serve(request, response, () => this.#call(request, service, method));
      return true;
    }
    if (!url.pathname.startsWith('/_actions/')) return false;
    void this.#serve(request, response, () => this.#blob(request, response, url));
    return true;
  };

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    work: () => Promise<RpcAnswer | null>,
  ): Promise<void> {
    let answer: RpcAnswer | null;
    try {
      answer = await work();
    } catch (error) {
      answer = fail(400, 'malformed', (error as Error).message);
    }
    if (answer === null || response.headersSent) return;
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    const type = typeof answer.body === 'string' ? 'application/xml' : 'application/json';
    response
      .writeHead(answer.status, { 'content-type': type, 'x-ms-request-id': `${request.url?.length ?? 0}` })
      .end(text);
  }

  async #call(request: IncomingMessage, service: string, method: string): Promise<RpcAnswer> {
    const read = await readBody(request, API_BYTES);
    if (read.kind === 'refused') return fail(read.status, 'malformed', read.message);
    const { body } = read;
    const token = (request.headers.authorization ?? '').replace(/^Bearer\s+/i, '');
    const claims = this.#parts.tokens.read(token, this.#parts.now());
    if (claims === null) return fail(401, 'unauthenticated', 'the runtime token is not valid');
    const json: unknown = JSON.parse(body.toString('utf8'));
    if (service === CACHE_SERVICE) {
      const run = this.#parts.engine.runs.get(claims.runId);
      return run === undefined ? NO_RUN : callCacheService(this.#parts, run, method, json);
    }
    const asked = requestSchema.parse(json);
    const [runId, attempt] = (asked.workflow_run_backend_id ?? `${claims.runId}-${claims.attempt}`).split(
      '-',
    );
    if (Number(runId) !== claims.runId || !(Number(attempt) <= claims.attempt)) {
      return fail(403, 'permission_denied', 'the token is for another run');
    }
    switch (method) {
      case 'CreateArtifact':
        return this.#create(claims, asked);
      case 'FinalizeArtifact':
        return this.#finalize(claims, asked);
      case 'ListArtifacts':
        return this.#list(claims, asked);
      case 'GetSignedArtifactURL':
        return this.#sign(claims, asked);
      case 'DeleteArtifact':
        return this.#delete(claims, asked);
      default:
        return fail(404, 'bad_route', `no such method: ${method}`);
    }
  }

  #create(claims: RuntimeClaims, asked: Request): RpcAnswer {
    const { engine, artifacts, signed, now } = this.#parts;
    const run = engine.runs.get(claims.runId);
    const job = engine.job(claims.jobId);
    if (run === undefined || job === undefined) return NO_RUN;
    const creation = artifacts.create({
      run,
      attempt: claims.attempt,
      jobId: claims.jobId,
      name: asked.name ?? '',
      contentType: asked.mime_type ?? 'application/zip',
      ...(asked.expires_at === undefined ? {} : { expiresAt: Date.parse(asked.expires_at) }),
      late: job.status === 'completed',
    });
    if (creation.kind === 'refused') return fail(creation.status, creation.code, creation.message);
    const url = signed.sign({
      action: 'upload',
      id: String(creation.artifact.id),
      expiresAt: now() + UPLOAD_TIME,
    });
    return done({ ok: true, signed_upload_url: url });
  }

  #finalize(claims: RuntimeClaims, asked: Request): RpcAnswer {
    const artifact = this.#named(claims, asked.name);
    if (artifact === undefined) return fail(404, 'not_found', 'no such artifact');
    const problem = this.#parts.artifacts.finalize(artifact, {
      ...(asked.size === undefined ? {} : { size: Number(asked.size) }),
      ...(asked.hash === undefined ? {} : { digest: asked.hash }),
    });
    if (problem !== null) return fail(400, 'invalid_argument', problem);
    return done({ ok: true, artifact_id: String(artifact.id) });
  }

  #list(claims: RuntimeClaims, asked: Request): RpcAnswer {
    const run = this.#parts.engine.runs.get(claims.runId);
    const found = (run === undefined ? [] : this.#parts.artifacts.ofRun(run)).filter(
      (artifact) =>
        artifact.attempt <= claims.attempt &&
        (asked.name_filter === undefined || artifact.name === asked.name_filter) &&
        (asked.id_filter === undefined || String(artifact.id) === asked.id_filter),
    );
    return done({
      artifacts: found.map((artifact) => ({
        workflow_run_backend_id: `${claims.runId}-${artifact.attempt}`,
        workflow_job_run_backend_id: String(artifact.jobId),
        database_id: String(artifact.id),
        name: artifact.name,
        size: String(artifact.data.length),
        created_at: new Date(artifact.createdAt).toISOString(),
        digest: artifact.digest,
      })),
    });
  }

  /** What an earlier attempt left can still be read: jobs that are not run again do not upload again. */
  #sign(claims: RuntimeClaims, asked: Request): RpcAnswer {
    const attempt = Number((asked.workflow_run_backend_id ?? '').split('-')[1] ?? claims.attempt);
    const run = this.#parts.engine.runs.get(claims.runId);
    const artifact = (run === undefined ? [] : this.#parts.artifacts.ofRun(run)).find(
      (one) => one.name === asked.name && one.attempt <= attempt,
    );
    if (artifact === undefined) return fail(404, 'not_found', 'no such artifact');
    return done({ signed_url: this.downloadUrl(artifact) });
  }

  #delete(claims: RuntimeClaims, asked: Request): RpcAnswer {
    const artifact = this.#named(claims, asked.name);
    if (artifact === undefined) return fail(404, 'not_found', 'no such artifact');
    this.#parts.artifacts.remove(artifact);
    return done({ ok: true, artifact_id: String(artifact.id) });
  }

  /** An address that downloads the artifact without further credentials, for one minute. */
  downloadUrl(artifact: Artifact): string {
    const { signed, now } = this.#parts;
    return signed.sign({ action: 'download', id: String(artifact.id), expiresAt: now() + DOWNLOAD_TIME });
  }

  /** An address that shows a job's log (`log`) or downloads those of a run's attempt (`logs`), for one minute. */
  logUrl(action: 'log' | 'logs', id: string): string {
    const { signed, now } = this.#parts;
    return signed.sign({ action, id, expiresAt: now() + DOWNLOAD_TIME });
  }

  #named(claims: RuntimeClaims, name: string | undefined): Artifact | undefined {
    const run = this.#parts.engine.runs.get(claims.runId);
    return run === undefined ? undefined : this.#parts.artifacts.named(run, claims.attempt, name ?? '');
  }

  async #blob(request: IncomingMessage, response: ServerResponse, url: URL): Promise<RpcAnswer | null> {
    const grant = this.#parts.signed.check(url, this.#parts.now());
    if (grant === null) return blobError(403, 'AuthenticationFailed');
    if (grant.action === 'log' || grant.action === 'logs') {
      const found = await this.#parts.logOf(grant.action, grant.id);
      const type = grant.action === 'log' ? 'text/plain; charset=utf-8' : 'application/zip';
      response.writeHead(found === null ? 404 : 200, { 'content-type': type }).end(found ?? '');
      return null;
    }
    const id = Number(grant.id);
    if (grant.action === 'cache-upload' || grant.action === 'cache-download') {
      const entry = this.#parts.caches.byId(id);
      if (entry === undefined) return blobError(404, 'BlobNotFound');
      if (grant.action === 'cache-upload') return putBlob(request, response, url, entry);
      const headers = { 'content-type': 'application/octet-stream', 'content-length': entry.data.length };
      response.writeHead(200, headers).end(entry.data);
      return null;
    }
    const artifact = this.#parts.artifacts.byId(id);
    if (artifact === undefined) return blobError(404, 'BlobNotFound');
    if (grant.action === 'upload') return putBlob(request, response, url, artifact);
    const name = encodeURIComponent(
      artifact.contentType === 'application/zip' ? `${artifact.name}.zip` : artifact.name,
    );
    response
      .writeHead(200, {
        'content-type': artifact.contentType,
        'content-length': artifact.data.length,
        'content-disposition': `attachment; filename="${name}"; filename*=UTF-8''${name}`,
      })
      .end(artifact.data);
    return null;
  }
}
