import { nodeId } from '../node-id.ts';
import { presentCheckRun, presentSuiteSimple } from '../present/check.ts';
import { presentSuite } from '../present/check-suite.ts';
import type { Actor } from '../principal.ts';
import type { Annotation, CheckOutput, CheckRun, CheckSuite } from '../records/check.ts';
import type { App } from '../records/identity.ts';
import type { Repo } from '../records/repository.ts';
import type { Store } from '../store.ts';
import { emitWebhook } from '../webhooks/emit.ts';
import { checkSuitesOn } from './check-index.ts';

/** Fields of a check run that its app may set; absent ones stay. Times in milliseconds. */
export interface CheckChange {
  readonly name?: string | undefined;
  readonly status?: CheckRun['status'] | undefined;
  readonly conclusion?: string | null | undefined;
  readonly detailsUrl?: string | null | undefined;
  readonly externalId?: string | undefined;
  readonly startedAt?: number | undefined;
  readonly completedAt?: number | undefined;
  readonly output?: Partial<CheckOutput> | undefined;
  /** Appended to those it has. */
  readonly annotations?: readonly Annotation[] | undefined;
}

/** The suite of an app on a commit, made when there is none. */
export function suiteFor(
  store: Store,
  repo: Repo,
  app: App,
  headSha: string,
  headBranch: string | null = null,
): CheckSuite {
  const found = checkSuitesOn(repo, headSha).find((suite) => suite.app === app);
  return found ?? createSuite(store, repo, app, headSha, headBranch);
}

/** A suite of its own, as each workflow run has one. */
function createSuite(
  store: Store,
  repo: Repo,
  app: App,
  headSha: string,
  headBranch: string | null,
): CheckSuite {
  const id = store.nextId('checkSuite');
  const now = store.now();
  const suite = { id, nodeId: nodeId('CS', id), app, headSha, headBranch, createdAt: now, updatedAt: now };
  repo.checkSuites.push(suite);
  return suite;
}

/** Makes a check run under an app, in `suite` or in the app's suite for that commit. */
export function createCheckRun(
  store: Store,
  repo: Repo,
  actor: Actor,
  input: CheckChange & {
    readonly app: App;
    readonly name: string;
    readonly headSha: string;
    readonly suite?: CheckSuite;
  },
): CheckRun {
  const id = store.nextId('checkRun');
  const run: CheckRun = {
    id,
    nodeId: nodeId('CR', id),
    suite: input.suite ?? suiteFor(store, repo, input.app, input.headSha),
    app: input.app,
    name: input.name,
    headSha: input.headSha,
    status: 'queued',
    conclusion: null,
    detailsUrl: null,
    externalId: '',
    startedAt: store.now(),
    completedAt: null,
    createdAt: store.now(),
    output: { title: null, summary: null, text: null },
    annotations: [],
  };
  repo.checkRuns.push(run);
  apply(store, run, input);
  tell(store, repo, actor, run, 'created');
  if (run.status === 'completed') tell(store, repo, actor, run, 'completed');
  return run;
}

export function updateCheckRun(
  store: Store,
  repo: Repo,
  actor: Actor,
  run: CheckRun,
  change: CheckChange,
): void {
  const wasCompleted = run.status === 'completed';
  apply(store, run, change);
  if (run.status === 'completed' && !wasCompleted) tell(store, repo, actor, run, 'completed');
  else store.events.emit('checkRun', { repo, checkRun: run, action: 'updated' });
}

/** Asks a suite's app to run all of it again; it alone hears of it. */
export async function rerequestSuite(
  store: Store,
  repo: Repo,
  actor: Actor,
  suite: CheckSuite,
): Promise<void> {
  suite.updatedAt = store.now();
  const body = { check_suite: await presentSuite(store.urls, repo, suite) };
  const onlyAppId = suite.app.id;
  emitWebhook(store, { event: 'check_suite', action: 'rerequested', repo, actor, body, onlyAppId });
}

/** A person's "re-run": only the owning app hears of it. */
export function rerequestCheckRun(store: Store, repo: Repo, actor: Actor, run: CheckRun): void {
  tell(store, repo, actor, run, 'rerequested', run.app.id);
}

function apply(store: Store, run: CheckRun, change: CheckChange): void {
  run.name = change.name ?? run.name;
  run.externalId = change.externalId ?? run.externalId;
  run.startedAt = change.startedAt ?? run.startedAt;
  if (change.detailsUrl !== undefined) run.detailsUrl = change.detailsUrl;
  run.output = { ...run.output, ...change.output };
  run.annotations.push(...(change.annotations ?? []));
  run.status = change.conclusion ? 'completed' : (change.status ?? run.status);
  if (run.status === 'completed') {
    run.conclusion = change.conclusion ?? run.conclusion ?? 'neutral';
    run.completedAt = change.completedAt ?? run.completedAt ?? store.now();
  } else {
    run.conclusion = null;
    run.completedAt = null;
  }
  run.suite.updatedAt = store.now();
}

function tell(
  store: Store,
  repo: Repo,
  actor: Actor,
  run: CheckRun,
  action: string,
  onlyAppId?: number,
): void {
  store.events.emit('checkRun', { repo, checkRun: run, action });
  const shown = presentCheckRun(store.urls, repo, run);
  const suite = presentSuiteSimple(store.urls, repo, run.suite);
  const body = { check_run: { ...shown, check_suite: suite } };
  const only = onlyAppId === undefined ? {} : { onlyAppId };
  emitWebhook(store, { event: 'check_run', action, repo, actor, body, ...only });
}
