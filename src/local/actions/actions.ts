import { join } from 'node:path';
import type { Repo } from '../records/repository.ts';
import type { LocalGitHub } from '../server.ts';
import { actionsRoutes } from './actions-routes.ts';
import {
  type Artifact,
  type ArtifactLimits,
  ArtifactStore,
  DEFAULT_LIMITS,
} from './artifacts/artifact-store.ts';
import { ResultsService } from './artifacts/results-service.ts';
import { RuntimeTokens } from './artifacts/runtime-token.ts';
import { SignedUrls } from './artifacts/signed-url.ts';
import { type CacheLimits, CacheStore, DEFAULT_CACHE_LIMITS } from './caches/cache-store.ts';
import { JobDesk } from './job-desk.ts';
import { reportChecks } from './report/check-reports.ts';
import { runLogsArchive } from './report/logs-archive.ts';
import { sendRunWebhooks } from './report/run-webhooks.ts';
import { DEFAULT_STOP_TIMES, type RunnerConfig } from './runner/config.ts';
import { LocalRunner } from './runner/local-runner.ts';
import { awaitRun } from './runs/await-run.ts';
import type { Environments } from './runs/environments.ts';
import type { ServerUrls } from './runs/job-scope.ts';
import { currentJobs, type JobRecord, type RunRecord } from './runs/records.ts';
import { RunEngine } from './runs/run-engine.ts';
import { EventRuns } from './trigger/event-runs.ts';
import { fireSchedule, Schedules } from './trigger/schedule.ts';
import { WorkflowFiles } from './trigger/workflow-files.ts';

export interface ActionsOptions {
  readonly artifacts?: Partial<ArtifactLimits>;
  readonly caches?: Partial<CacheLimits>;
}

export interface RunnerOptions extends Partial<Omit<RunnerConfig, 'labels'>> {
  /** `self-hosted` and `linux` are added; GitHub's hosted Linux labels are served too. */
  readonly labels?: readonly string[];
}

interface StartedJob {
  readonly id: number;
  readonly name: string;
  /** `app:<slug>` or `user:<login>`. */
  readonly by: string;
}

/** GitHub Actions of the local GitHub: runs, artifacts, and runners in this process. */
export interface LocalActions {
  readonly engine: RunEngine;
  readonly artifacts: ArtifactStore;
  readonly caches: CacheStore;
  readonly environments: Environments;
  readonly runners: readonly LocalRunner[];
  /** Registers and starts a runner. Call it as often as runners are wanted. */
  startRunner(options?: RunnerOptions): LocalRunner;
  /** To GitHub the runner of this run is gone; its processes live on. `keepTokens` (default) leaves their tokens valid. */
  lose(run: RunRecord, options?: { readonly keepTokens?: boolean }): JobRecord[];
  /** Calls back when a runner has taken up a job; the answer unsubscribes. `by`: who stands behind the run. */
  onJobStarted(listener: (job: StartedJob) => void): () => void;
  /**
   * The runner of a job is gone, as GitHub sees it: the job fails with "The self-hosted runner … lost communication with
   * the server.", while its processes live on, their tokens valid. False when the job does not run.
   */
  loseRunner(jobId: number): boolean;
  /** Makes a job that is not over hang: whatever its steps do, it ends only by a cancellation. False when it is over. */
  stickJob(jobId: number): boolean;
  run(id: number): RunRecord;
  /** Resolves with the first run, present or future, that fulfils a condition. */
  waitForRun(condition: (run: RunRecord) => boolean): Promise<RunRecord>;
  /** Resolves when a run fulfils a condition; checked at every change. */
  waitFor(id: number, condition: (run: RunRecord) => boolean): Promise<RunRecord>;
  /** Resolves when a run is completed. */
  completed(id: number): Promise<RunRecord>;
  /** Jobs that wait and that no runner has the labels for: they wait for ever, as on GitHub. */
  unserved(): JobRecord[];
  /** Fires the schedules that have come due by the store's clock since the last call; nothing watches the clock by itself. */
  tick(): Promise<RunRecord[]>;
  /** Fires `schedule` for every workflow of the default branch that has one, whatever the time. */
  fireSchedule(repo: Repo): Promise<RunRecord[]>;
  /** Artifacts that reached the service after GitHub had given up their job. */
  lateArtifacts(): Artifact[];
  /** Resolves when all events so far have started their runs and no run is open. */
  idle(): Promise<void>;
  /** Kills what runs. Resolves when no process of a job is left. */
  close(): Promise<void>;
}

/** Adds Actions to a running local GitHub. */
export function createActions(server: LocalGitHub, options: ActionsOptions = {}): LocalActions {
  const { store } = server;
  const urls = (): ServerUrls => ({
    // The artifact client only talks to servers whose name ends in `.localhost`; git resolves such names itself.
    server: store.origin.replace('127.0.0.1', 'ccd.localhost'),
    api: store.urls.api,
    graphql: `${store.origin}/api/graphql`,
  });
  const engine = new RunEngine(store, urls);
  const artifacts = new ArtifactStore(store, { ...DEFAULT_LIMITS, ...options.artifacts }, (run) =>
    engine.noteChange(run),
  );
  const caches = new CacheStore(store.now, { ...DEFAULT_CACHE_LIMITS, ...options.caches });
  const tokens = new RuntimeTokens(store.randomHex(32));
  const signed = new SignedUrls(store.randomHex(32), () => store.origin);
  const files = new WorkflowFiles();
  const logOf = async (kind: 'log' | 'logs', id: string) => {
    if (kind === 'log') return engine.job(Number(id))?.log.join('\n').concat('\n') ?? null;
    const [runId, attempt] = id.split('-').map(Number);
    const found = engine.runs.get(runId!);
    return found === undefined ? null : runLogsArchive(found, attempt!);
  };
  const results = new ResultsService({ engine, artifacts, caches, tokens, signed, now: store.now, logOf });
  const runners: LocalRunner[] = [];
  const desk = new JobDesk({ store, engine, artifacts, caches, tokens, urls });

  reportChecks(store, engine);
  sendRunWebhooks(store, engine);
  const parts = { store, engine, files };
  const events = new EventRuns(parts);
  const schedules = new Schedules(parts);
  server.mountRaw(results.handle);
  server.mount(actionsRoutes({ ...parts, artifacts, caches, results }));

  const run = (id: number): RunRecord => {
    const found = engine.runs.get(id);
    if (found === undefined) throw new TypeError(`There is no run ${id}.`);
    return found;
  };
  const waitFor = (id: number, condition: (run: RunRecord) => boolean): Promise<RunRecord> => {
    const wanted = run(id);
    return awaitRun(engine, (one) => one === wanted && condition(one));
  };
  return {
    engine,
    artifacts,
    caches,
    environments: engine.environments,
    runners,
    run,
    waitForRun: (condition) => awaitRun(engine, condition),
    waitFor,
    completed: (id) => waitFor(id, (one) => one.status === 'completed'),
    startRunner: (wanted = {}) => {
      const { labels = [], ...rest } = wanted;
      const id = runners.length + 1;
      const config: RunnerConfig = {
        name: `local-${id}`,
        concurrency: 2,
        workDir: join(store.dataDir, 'runners', String(id)),
        actionMap: {},
        env: {},
        namespace: 'auto',
        stopTimes: DEFAULT_STOP_TIMES,
        cancelGrace: 300_000,
        keepWork: false,
        ...rest,
        labels: ['self-hosted', 'linux', process.arch === 'arm64' ? 'arm64' : 'x64', ...labels],
      };
      const runner = new LocalRunner(id, config, engine, desk);
      runners.push(runner);
      engine.takers.add(runner);
      engine.offer();
      return runner;
    },
    lose: (lost, { keepTokens = true } = {}) => {
      const jobs = currentJobs(lost).filter((job) => engine.lose(job));
      if (!keepTokens) for (const job of jobs) desk.revoke(job);
      return jobs;
    },
    onJobStarted: (listener) =>
      engine.events.on('job', ({ job, action }) => {
        const { app, user } = job.run.actor;
        const by = app === null ? `user:${user.login}` : `app:${app.slug}`;
        if (action === 'in_progress') listener({ id: job.id, name: job.name, by });
      }),
    loseRunner: (jobId) => {
      const job = engine.job(jobId);
      return job !== undefined && engine.lose(job);
    },
    stickJob: (jobId) => {
      const job = engine.job(jobId);
      if (job === undefined || job.status === 'completed') return false;
      desk.stick(job);
      return true;
    },
    unserved: () =>
      engine.open
        .flatMap((one) => one.jobs)
        .filter((job) => job.status === 'queued' && ![...engine.takers].some((taker) => taker.serves(job))),
    tick: () => schedules.tick(),
    fireSchedule: (repo) => fireSchedule(parts, repo),
    lateArtifacts: () =>
      [...engine.runs.values()].flatMap((one) => artifacts.ofRun(one)).filter((one) => one.late),
    idle: async () => {
      for (let open = true; open; ) {
        await events.idle();
        const going = engine.open;
        open = going.length > 0;
        for (const one of going)
          await awaitRun(engine, (other) => other === one && one.status === 'completed');
      }
    },
    close: async () => {
      await events.idle();
      await Promise.all(runners.map((runner) => runner.close()));
    },
  };
}
