import { join } from 'node:path';
import { digestValue } from '../domain/digest.ts';
import type { FactRun, FactSide, Facts, FactsPlan } from '../domain/facts.ts';
import { type ObjectReader, openObjects } from '../git/objects.ts';
import { findRunners, type RunnerSearch } from '../guard/facts/find-runner.ts';
import { type PlannedRun, plannedRuns } from '../guard/facts/planned-runs.ts';
import type { ReportAdapter } from '../guard/facts/reports/adapter.ts';
import { reportAdapters } from '../guard/facts/reports/adapters.ts';
import { runFault } from '../guard/facts/run-fault.ts';
import type { Sandbox } from '../host/sandbox.ts';
import { type BlobSource, blobSource } from './blob-source.ts';
import { install } from './install.ts';
import type { Installed } from './installed.ts';
import { layTree } from './lay-tree.ts';
import { prepareCommand } from './prepare-command.ts';
import { readTail } from './read-regular-file.ts';
import { readReports } from './read-reports.ts';
import { offline, runEnvironment } from './run-environment.ts';
import { scriptsIn } from './scripts.ts';
import { type PlanTrees, sideEntries } from './side-entries.ts';
import { clearStage, type Stage, stageAt } from './stage.ts';

export interface ExecuteOptions {
  /** Git directory (bare, or the `.git` folder) that holds both commits. Only objects are read. */
  readonly gitDir: string;
  /** An existing folder of ours, empty; the caller removes it. */
  readonly workDir: string;
  readonly sandbox: Sandbox;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the machine is, for the verdict's key. */
  readonly runnerImage: string;
  readonly adapters?: readonly ReportAdapter[];
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly side: FactSide | 'setup';
  readonly index: number;
  readonly done: number;
  readonly of: number;
}

interface Execution {
  readonly plan: FactsPlan;
  readonly options: ExecuteOptions;
  readonly stage: Stage;
  readonly trees: PlanTrees;
  readonly blobs: BlobSource;
  readonly search: RunnerSearch;
}

/**
 * Carries out a plan: installs once on base, then runs the test command on each side as often as planned, each time in a
 * fresh tree, home and temporary folder, and tells what was observed. Runs that could not be made are in the facts with the
 * reason. Throws CcdError for faults of git (`git.object-missing`, …) and of this machine.
 */
export async function executeFacts(plan: FactsPlan, options: ExecuteOptions): Promise<Facts> {
  const objects = openObjects(options.gitDir);
  try {
    const execution = await prepare(plan, options, objects);
    return {
      version: 1,
      planDigest: digestValue(plan),
      runnerImage: options.runnerImage,
      isolation: describeIsolation(options.sandbox),
      runs: await executeAll(execution),
    };
  } finally {
    await objects.close();
  }
}

async function prepare(plan: FactsPlan, options: ExecuteOptions, objects: ObjectReader): Promise<Execution> {
  const trees = { base: await objects.readTree(plan.base), head: await objects.readTree(plan.head) };
  const blobs = blobSource(objects);
  const scriptsOf = await scriptsIn(trees.base, blobs);
  const search = findRunners(plan.testCommand, scriptsOf, options.adapters ?? reportAdapters);
  return { plan, options, stage: stageAt(options.workDir), trees, blobs, search };
}

async function executeAll(execution: Execution): Promise<FactRun[]> {
  const planned = plannedRuns(execution.plan);
  const { search, plan, options } = execution;
  if (search.kind === 'unknown') return planned.map((run) => notRun(run, search.reason));
  const tell = (side: Progress['side'], index: number, done: number) =>
    options.onProgress?.({ side, index, done, of: planned.length });
  if (plan.setup !== null) tell('setup', 1, 0);
  const installed = await install(execution);
  if (installed.kind === 'failed') return planned.map((run) => notRun(run, installed.reason));
  const runs: FactRun[] = [];
  for (const run of planned) {
    tell(run.side, run.index, runs.length);
    const done = await executeRun(run, { ...execution, search }, installed.installed);
    runs.push(done);
    // Without a base to compare with, nothing more can be learnt.
    if (run.side === 'base' && runFault(done) !== null) break;
  }
  return [
    ...runs,
    ...planned.slice(runs.length).map((run) => notRun(run, 'The tests could not be run on base.')),
  ];
}

function notRun({ side, index }: PlannedRun, problem: string): FactRun {
  const text = problem.slice(0, 4000);
  return { side, index, exitCode: null, timedOut: false, durationMs: 0, tests: null, problem: text };
}

type RunnableExecution = Execution & { readonly search: Extract<RunnerSearch, { kind: 'found' }> };

async function executeRun(
  run: PlannedRun,
  execution: RunnableExecution,
  installed: Installed,
): Promise<FactRun> {
  const { stage, plan, trees, blobs, search, options } = execution;
  await clearStage(
    stage,
    installed.mirrors.map(({ copy }) => copy),
  );
  for (const mirror of installed.mirrors) await mirror.restore();
  const entries = sideEntries(plan, trees, run.side);
  const laid = await layTree(stage.tree, entries, blobs, installed.paths);
  if (laid.kind === 'refused') return notRun(run, laid.reason);
  const prepared = await prepareCommand(search, stage);
  const stdoutFile = join(stage.logs, 'out');
  const stderrFile = join(stage.logs, 'err');
  const exit = await options.sandbox.run(['/bin/sh', '-c', limited(prepared.command)], {
    cwd: stage.tree,
    env: { ...runEnvironment(options.env, stage, foldersOf(search)), ...offline, ...prepared.env },
    stdoutFile,
    stderrFile,
    // The support folder too: a reporter removes its key from it.
    writable: [stage.tree, stage.home, stage.temp, stage.reports, stage.support],
    network: false,
    timeoutMs: plan.timeoutMs,
  });
  const observed = { ...run, exitCode: exit.exitCode, timedOut: exit.timedOut, durationMs: exit.durationMs };
  if (exit.timedOut) return { ...observed, tests: null, problem: null };
  const tree = {
    root: stage.tree,
    paths: entries.map(({ path }) => path),
    readText: await sources(entries, blobs),
  };
  const reports = await readReports(prepared.runners, stdoutFile, tree);
  if (reports.kind === 'tests') return { ...observed, tests: reports.tests, problem: null };
  const tail = (await readTail(stderrFile, 1500)) || (await readTail(stdoutFile, 1500));
  return { ...observed, tests: null, problem: `${reports.reason} ${tail.trim()}`.trim().slice(0, 4000) };
}

/** No file larger than a gibibyte: a test that prints for ever must not fill the disk. */
function limited(command: string): string {
  return `ulimit -f 2097152; ${command}`;
}

function foldersOf(search: Extract<RunnerSearch, { kind: 'found' }>): string[] {
  return [...new Set(search.segments.map(({ folder }) => folder))];
}

/** Texts that a report's reader may want: Go's events name no files. */
async function sources(
  entries: PlanTrees['base'],
  blobs: BlobSource,
): Promise<(path: string) => string | null> {
  const texts = new Map<string, string>();
  for (const { path, kind, oid } of entries) {
    if (kind === 'blob' && /(?:^|\/)go\.mod$|_test\.go$/.test(path))
      texts.set(path, (await blobs.read(oid)).toString('utf8'));
  }
  return (path) => texts.get(path) ?? null;
}

function describeIsolation({ enforced }: Sandbox): string {
  return `${enforced.isolation}, network ${enforced.network}`.slice(0, 200);
}
