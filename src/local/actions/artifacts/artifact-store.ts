import { createHash } from 'node:crypto';
import { nodeId } from '../../node-id.ts';
import type { Repo } from '../../records/repository.ts';
import type { Store } from '../../store.ts';
import type { RunRecord } from '../runs/records.ts';
import type { BlobTarget } from './put-blob.ts';

/** One artifact. It can be read from the moment it is finalized, also while its run goes on. */
export interface Artifact extends BlobTarget {
  readonly id: number;
  readonly nodeId: string;
  readonly run: RunRecord;
  readonly attempt: number;
  readonly jobId: number;
  readonly name: string;
  readonly contentType: string;
  readonly createdAt: number;
  updatedAt: number;
  readonly expiresAt: number;
  data: Buffer;
  /** `sha256:` and hex. */
  digest: string | null;
  finalized: boolean;
  /** Uploaded by a job that GitHub had already given up. */
  readonly late: boolean;
}

export interface ArtifactLimits {
  /** Bytes of one artifact. */
  readonly maxBytes: number;
  /** Artifacts of one run attempt (GitHub: 500 for each job). */
  readonly maxCount: number;
  /** Days, when the upload names none. */
  readonly retentionDays: number;
}

type Creation =
  | { readonly kind: 'created'; readonly artifact: Artifact }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string; readonly message: string };

const DAY = 24 * 3_600_000;
export const DEFAULT_LIMITS: ArtifactLimits = {
  maxBytes: 512 * 1024 * 1024,
  maxCount: 500,
  retentionDays: 90,
};

/** All artifacts, in memory. Names are unique and immutable within one attempt of a run. */
export class ArtifactStore {
  readonly #store: Store;
  readonly #changed: (run: RunRecord) => void;
  /** By id, in whatever state. */
  readonly all = new Map<number, Artifact>();
  readonly limits: ArtifactLimits;

  constructor(store: Store, limits: ArtifactLimits, changed: (run: RunRecord) => void) {
    this.#store = store;
    this.#changed = changed;
    this.limits = limits;
  }

  create(options: {
    readonly run: RunRecord;
    readonly attempt: number;
    readonly jobId: number;
    readonly name: string;
    readonly contentType: string;
    readonly expiresAt?: number;
    readonly late: boolean;
  }): Creation {
    const { run, attempt, name } = options;
    const refused = (status: number, code: string, message: string): Creation => ({
      kind: 'refused',
      status,
      code,
      message,
    });
    if (name === '' || /[":<>|*?\r\n\\/]/.test(name))
      return refused(400, 'invalid_argument', `the artifact name is not valid: ${name}`);
    const own = [...this.all.values()].filter((one) => one.run === run && one.attempt === attempt);
    if (own.some((one) => one.name === name)) {
      return refused(409, 'already_exists', 'an artifact with this name already exists on the workflow run');
    }
    if (own.length >= this.limits.maxCount) return refused(400, 'resource_exhausted', 'too many artifacts');
    const now = this.#store.now();
    const id = this.#store.nextId('artifact');
    const latest = now + this.limits.retentionDays * DAY;
    const artifact: Artifact = {
      id,
      nodeId: nodeId('MDA', id),
      run,
      attempt,
      jobId: options.jobId,
      name,
      contentType: options.contentType,
      createdAt: now,
      updatedAt: now,
      expiresAt: Math.min(options.expiresAt ?? latest, latest),
      blocks: new Map(),
      data: Buffer.alloc(0),
      digest: null,
      finalized: false,
      late: options.late,
      write: (data) => this.write(artifact, data),
    };
    this.all.set(id, artifact);
    return { kind: 'created', artifact };
  }

  /** Sets the content of an artifact that is still being written. False when it is over or too large. */
  write(artifact: Artifact, data: Buffer): boolean {
    if (artifact.finalized || data.length > this.limits.maxBytes) return false;
    artifact.data = data;
    return true;
  }

  /** Makes an artifact readable. Answers what is wrong with size or digest, or null. */
  finalize(
    artifact: Artifact,
    expected: { readonly size?: number; readonly digest?: string } = {},
  ): string | null {
    const digest = `sha256:${createHash('sha256').update(artifact.data).digest('hex')}`;
    if (expected.size !== undefined && expected.size !== artifact.data.length)
      return 'size does not match the upload';
    if (expected.digest !== undefined && expected.digest !== digest) return 'hash does not match the upload';
    Object.assign(artifact, { digest, finalized: true, updatedAt: this.#store.now() });
    this.#changed(artifact.run);
    return null;
  }

  /** An artifact in any state, as the upload protocol sees it. */
  byId(id: number): Artifact | undefined {
    return this.all.get(id);
  }

  /** Readable artifacts of a repository, newest first. */
  ofRepo(repo: Repo): Artifact[] {
    return this.#readable((artifact) => artifact.run.repo === repo);
  }

  /** Readable artifacts of a run, all attempts, newest first. */
  ofRun(run: RunRecord): Artifact[] {
    return this.#readable((artifact) => artifact.run === run);
  }

  /** The artifact of an attempt by its name, in any state. */
  named(run: RunRecord, attempt: number, name: string): Artifact | undefined {
    return [...this.all.values()].find(
      (one) => one.run === run && one.attempt === attempt && one.name === name,
    );
  }

  isExpired(artifact: Artifact): boolean {
    return artifact.expiresAt <= this.#store.now();
  }

  remove(artifact: Artifact): void {
    this.all.delete(artifact.id);
  }

  #readable(wanted: (artifact: Artifact) => boolean): Artifact[] {
    return [...this.all.values()].filter((one) => one.finalized && wanted(one)).reverse();
  }
}
