import { join } from 'node:path';
import { artifactNames, type SpawnContract } from '../domain/contract.ts';
import type { ResultReport } from '../domain/report.ts';
import type { Clone } from '../git/bare-clone.ts';
import { openClone } from '../git/bare-clone.ts';
import { writeFileAtomic } from '../host/files.ts';
import { cleanerFor } from '../host/find-secrets.ts';
import { removeTree } from '../host/remove-tree.ts';
import { createSandbox } from '../host/sandbox.ts';
import { reportFile } from './attempt-files.ts';
import { awaitBinding } from './await-binding.ts';
import type { Binding, Predecessor } from './binding.ts';
import { startingPoint } from './carried.ts';
import { faultOutcome, faultText } from './fault-outcome.ts';
import { type AttemptFolders, makeFolders } from './folders.ts';
import { forgetKept, keepFiles } from './kept-files.ts';
import { nothingSeen, type Observed } from './observed.ts';
import { findOverlaps, type Overlap } from './overlaps.ts';
import { type PredecessorStory, readPredecessor } from './predecessor.ts';
import { readBaseFile } from './read-base-file.ts';
import { type Remark, readRemarks } from './read-remarks.ts';
import { readTask } from './read-task.ts';
import { reportTexts, resultReport } from './report.ts';
import { createBindingReader, type ReadBinding } from './state-reader.ts';
import { followStopOrders } from './stop-orders.ts';
import { uploadWithRetries } from './upload.ts';
import { workOn } from './work-on.ts';
import type { WorkerJob, WorkerTools } from './worker-job.ts';

/** `not-started`: this run is not (or no longer) the one to work, nothing was spent and nothing is handed in. */
export type AttemptEnd =
  | { readonly kind: 'not-started'; readonly reason: string; readonly exitCode: number }
  | { readonly kind: 'reported'; readonly report: ResultReport; readonly exitCode: number }
  | {
      readonly kind: 'report-lost';
      readonly report: ResultReport;
      readonly keptAt: string;
      readonly exitCode: number;
    };

/**
 * The story of one attempt: wait to be bound, read the task and hold it against the contract, work, hand over, report once,
 * stop. The report tells what was observed, also when the work ended by a fault. Throws CcdError when it cannot even be
 * learned whether this run may work.
 */
export async function runAttempt(job: WorkerJob, tools: WorkerTools): Promise<AttemptEnd> {
  // Somebody pressed "re-run": the attempt was bound to the first one, whatever it came to.
  if (job.runAttempt !== 1) return { kind: 'not-started', reason: 'run-again', exitCode: 1 };
  const folders = await makeFolders(job.tempFolder);
  const clone = await openClone({
    dir: folders.clone,
    remoteUrl: job.remoteUrl,
    token: async () => job.token,
  });
  try {
    return await inFolders(job, tools, folders, clone);
  } finally {
    await clone.close();
    await cleanUp(folders.root, tools);
    await forgetKept(job.keepFolder, tools.clock.now());
  }
}

/** What was reported stands: leftovers that cannot be removed are told, not thrown. */
async function cleanUp(folder: string, tools: WorkerTools): Promise<void> {
  try {
    await removeTree(folder);
  } catch (fault) {
    tools.log.error('the work folder could not be removed', { folder, fault: faultText(fault) });
  }
}

async function inFolders(
  job: WorkerJob,
  tools: WorkerTools,
  folders: AttemptFolders,
  clone: Clone,
): Promise<AttemptEnd> {
  const read = createBindingReader(clone, job);
  const wait = { timeoutMs: job.times.bindingTimeoutMs, pollMs: job.times.bindingPollMs };
  const binding = await awaitBinding(read, wait, tools.clock, tools.stop);
  if (binding.kind === 'never') return { kind: 'not-started', reason: binding.reason, exitCode: 1 };
  tools.log.info('this run is bound to its attempt', { attempt: job.attempt });
  const { contract, predecessor } = binding;
  const startedAt = tools.clock.now();
  const observed = await underOrders(job, tools, read, (stop) =>
    carryOut(job, tools, folders, clone, { contract, predecessor }, stop),
  );
  const { contractDigest } = job;
  const overlaps = await overlapsOf(clone, contract, observed, tools);
  const frame = { contract, contractDigest, startedAt, endedAt: tools.clock.now(), overlaps };
  const clean = await cleanerFor(reportTexts(observed), tools.redactor);
  const report = resultReport({ ...frame, clean }, observed);
  return handIn(report, job, tools, folders);
}

/** Null, and told, where the other tasks cannot be looked at: a report is not held up by that. */
async function overlapsOf(
  clone: Clone,
  contract: SpawnContract,
  observed: Observed,
  tools: WorkerTools,
): Promise<Overlap[] | null> {
  try {
    return await findOverlaps(clone, contract.issue, observed.changed);
  } catch (fault) {
    tools.log.warn('overlaps with other tasks could not be looked for', { fault: faultText(fault) });
    return null;
  }
}

/** Does the work while the state branch is watched for orders to stop. */
async function underOrders(
  job: WorkerJob,
  tools: WorkerTools,
  read: ReadBinding,
  work: (stop: AbortSignal) => Promise<Observed>,
): Promise<Observed> {
  const stop = new AbortController();
  const done = new AbortController();
  const pass = () => stop.abort('cancelled');
  if (tools.stop.aborted) pass();
  tools.stop.addEventListener('abort', pass);
  const following = followStopOrders(read, stop, done.signal, job.times.stopPollMs, tools.clock, tools.log);
  try {
    return await work(stop.signal);
  } finally {
    tools.stop.removeEventListener('abort', pass);
    done.abort();
    await following;
  }
}

async function carryOut(
  job: WorkerJob,
  tools: WorkerTools,
  folders: AttemptFolders,
  clone: Clone,
  { contract, predecessor }: Pick<Extract<Binding, { kind: 'bound' }>, 'contract' | 'predecessor'>,
  stop: AbortSignal,
): Promise<Observed> {
  const deadline = tools.clock.now() + contract.limits.wallClockMs;
  try {
    const equipped = { ...job, program: job.findProgram() };
    const start = await startingPoint(clone, tools.client, job.repo, contract);
    const task = await readTask(tools.client, job.repo, clone, contract);
    if (task.kind === 'differs')
      return nothingDone('blocked', { class: 'deterministic', reason: task.reason });
    const sandbox = await createSandbox({
      minimum: contract.isolation,
      ephemeral: job.ephemeral,
      ownFolder: folders.agent,
      hidden: [folders.private, ...job.hidden],
      clock: tools.clock,
      ids: tools.ids,
    });
    tools.log.info('isolation', { ...sandbox.enforced });
    for (const gap of sandbox.enforced.gaps) tools.log.warn(`isolation: ${gap}`);
    const instructions = await readBaseFile(clone.objects, contract.base, 'CLAUDE.md', 256 * 1024);
    const { issue, spec, policy } = task;
    const before = await storyOf(job, tools, predecessor);
    const remarks = await remarksOn(job, tools, issue.number, task.comments);
    const known = { job: equipped, tools, contract, clone, folders, start, before, remarks, stop, deadline };
    return await workOn({ ...known, issue, spec, policy, sandbox, instructions });
  } catch (fault) {
    tools.log.error('the attempt could not be started', { fault: faultText(fault) });
    return nothingDone('blocked', faultOutcome(fault));
  }
}

/** Remarks are help, too; that some may be missing is told. */
async function remarksOn(
  job: WorkerJob,
  tools: WorkerTools,
  issue: number,
  count: number,
): Promise<Remark[]> {
  try {
    return await readRemarks(tools.client, job.repo, issue, count);
  } catch (fault) {
    tools.log.warn('the comments on the issue could not be read', { fault: faultText(fault) });
    return [];
  }
}

/** What went before is help, not a condition: an attempt starts without it. */
async function storyOf(
  job: WorkerJob,
  tools: WorkerTools,
  predecessor: Predecessor | null,
): Promise<PredecessorStory | null> {
  try {
    return await readPredecessor(tools.client, job.repo, predecessor);
  } catch (fault) {
    tools.log.warn('the report of the attempt before this one could not be read', {
      fault: faultText(fault),
    });
    return predecessor === null ? null : { attempt: predecessor.attempt, report: null };
  }
}

function nothingDone(status: Observed['status'], outcome: Observed['outcome']): Observed {
  return { ...nothingSeen, status, outcome, enforced: null, wanted: [] };
}

/** The one report, uploaded whole or not at all; it is kept on disk when no upload succeeds. */
async function handIn(
  report: ResultReport,
  job: WorkerJob,
  tools: WorkerTools,
  folders: AttemptFolders,
): Promise<AttemptEnd> {
  const file = join(folders.private, reportFile);
  await writeFileAtomic(file, `${JSON.stringify(report, null, 2)}\n`);
  const upload = { name: artifactNames.report(report.attempt), folder: folders.private, files: [file] };
  const uploaded = await uploadWithRetries(tools.artifacts, upload, tools.clock, (cause) =>
    tools.log.warn('the report could not be uploaded yet', { fault: faultText(cause) }),
  );
  if (uploaded) return { kind: 'reported', report, exitCode: report.exitCode };
  const kept = await keepFiles(job, [file]);
  tools.log.error('the report could not be uploaded and was kept on this machine', { kept });
  return { kind: 'report-lost', report, keptAt: join(kept, reportFile), exitCode: 70 };
}
