import type { Store } from '../store.ts';
import type { ArtifactStore } from './artifacts/artifact-store.ts';
import type { RuntimeTokens } from './artifacts/runtime-token.ts';
import type { CacheStore } from './caches/cache-store.ts';
import { jobCaches } from './caches/job-caches.ts';
import type { Value } from './expressions/values.ts';
import type { JobServices } from './runner/job-world.ts';
import type { Desk } from './runner/local-runner.ts';
import type { Environment } from './runs/environments.ts';
import { failFast } from './runs/expand-job.ts';
import { needsContext, runContexts, type ServerUrls } from './runs/job-scope.ts';
import { secretsOf } from './runs/make-call.ts';
import type { JobRecord } from './runs/records.ts';
import type { RunEngine } from './runs/run-engine.ts';

const JOB_TOKEN_TIME = 24 * 3_600_000;

interface DeskParts {
  readonly store: Store;
  readonly engine: RunEngine;
  readonly artifacts: ArtifactStore;
  readonly caches: CacheStore;
  readonly tokens: RuntimeTokens;
  readonly urls: () => ServerUrls;
}

/** Where runners get what a job needs of the service, and hand it back. */
export class JobDesk implements Desk {
  readonly #parts: DeskParts;
  readonly #jobTokens = new Map<JobRecord, string>();
  readonly #stuck = new WeakSet<JobRecord>();

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  /** Mints the job's tokens and evaluates what the service knows. */
  open(job: JobRecord): JobServices {
    const { store, engine, artifacts, caches, tokens } = this.#parts;
    const { run } = job;
    const { repo } = run;
    const urls = this.#parts.urls();
    const token = store.createJobToken({ repo, permissions: job.permissions, runId: run.id });
    this.#jobTokens.set(job, token);
    const environment = job.environment === null ? null : engine.environments.of(repo, job.environment);
    const secrets = { ...jobSecrets(job, environment, urls), GITHUB_TOKEN: token };
    return {
      now: store.now,
      token,
      artifacts,
      caches: jobCaches(caches, run),
      secrets,
      contexts: jobContexts(job, environment, urls, secrets),
      runtime: {
        ACTIONS_RESULTS_URL: `${store.origin}/`,
        ACTIONS_RUNTIME_URL: `${store.origin}/`,
        ACTIONS_CACHE_SERVICE_V2: 'true',
        ACTIONS_RUNTIME_TOKEN: tokens.mint(job, store.now() + JOB_TOKEN_TIME),
      },
      changed: () => engine.noteChange(run),
    };
  }

  /** The job's processes are gone. The tokens of one that was lost stay valid: GitHub does not know that it is over. */
  close(job: JobRecord, lost: boolean): void {
    if (!lost) this.revoke(job);
  }

  /** Ends the tokens of a job at once. */
  revoke(job: JobRecord): void {
    const token = this.#jobTokens.get(job);
    if (token !== undefined) this.#parts.store.revoke(token);
    this.#parts.tokens.revoke(job);
  }

  /** Makes a job hang instead of ending. */
  stick(job: JobRecord): void {
    this.#stuck.add(job);
  }

  isStuck(job: JobRecord): boolean {
    return this.#stuck.has(job);
  }
}

/** What a job may know: nothing when the change comes from elsewhere; its environment wins over the repository. */
function jobSecrets(
  job: JobRecord,
  environment: Environment | null,
  urls: ServerUrls,
): Readonly<Record<string, string>> {
  const { run, set } = job;
  if (run.cause.fromFork === true) return {};
  return { ...secretsOf(run, set, Object.fromEntries(run.repo.secrets), urls), ...environment?.secrets };
}

function jobContexts(
  job: JobRecord,
  environment: Environment | null,
  urls: ServerUrls,
  secrets: Readonly<Record<string, string>>,
): Record<string, Value> {
  const { run, set } = job;
  const contexts = runContexts(run, urls);
  return {
    ...contexts,
    vars: { ...(contexts.vars as Record<string, Value>), ...environment?.variables },
    inputs: set.inputs,
    needs: needsContext(run, set, job.key),
    matrix: job.matrix,
    strategy: { 'fail-fast': failFast(job.body), 'job-index': job.index, 'job-total': job.total },
    secrets,
  };
}
