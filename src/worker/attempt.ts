import { join } from 'node:path';
import { artifactNames, type ResultReport, type SpawnContract } from '../domain/contract.ts';
import type { Clone } from '../git/bare-clone.ts';
import { openClone } from '../git/bare-clone.ts';
import { writeFileAtomic } from '../host/files.ts';
import { removeTree } from '../host/remove-tree.ts';
import { createSandbox } from '../host/sandbox.ts';
import { awaitBinding } from './await-binding.ts';
import { nothingUsed } from './budget.ts';
import { startingPoint } from './carried.ts';
import { faultOutcome, faultText } from './fault-outcome.ts';
import { type AttemptFolders, makeFolders } from './folders.ts';
import { readBaseFile } from './read-base-file.ts';
import { readTask } from './read-task.ts';
import { exitCodeOf, type Observed, resultReport } from './report.ts';
import { createBindingReader, type ReadBinding } from './state-reader.ts';
import { followStopOrders } from './stop-orders.ts';
import { uploadWithRetries } from './upload.ts';
import { workOn } from './work-on.ts';
import type { WorkerJob, WorkerTools } from './worker-job.ts';

export const reportFile = 'report.json';

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
  let keep = false;
  try {
    const end = await inFolders(job, tools, folders, clone);
    keep =
      end.kind === 'report-lost' ||
      (end.kind === 'reported' && end.report.outcome.reason === 'upload-failed');
    if (keep) tools.log.error('what could not be uploaded was kept', { folder: folders.root });
    return end;
  } finally {
    await clone.close();
    if (!keep) await cleanUp(folders.root, tools);
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
  const { contract } = binding;
  const observed = await underOrders(job, tools, read, (stop) =>
    carryOut(job, tools, folders, clone, contract, stop),
  );
  const report = resultReport(contract, job.contractDigest, observed, tools.redactor.clean);
  return handIn(report, tools, folders);
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
  contract: SpawnContract,
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
      hidden: [folders.private, ...job.hidden],
      clock: tools.clock,
      ids: tools.ids,
    });
    tools.log.info('isolation', { ...sandbox.enforced });
    const instructions = await readBaseFile(clone.objects, contract.base, 'CLAUDE.md', 256 * 1024);
    const { issue, spec, policy } = task;
    const known = { job: equipped, tools, contract, clone, folders, start, stop, deadline };
    return await workOn({ ...known, issue, spec, policy, sandbox, instructions });
  } catch (fault) {
    tools.log.error('the attempt could not be started', { fault: faultText(fault) });
    return nothingDone('blocked', faultOutcome(fault));
  }
}

function nothingDone(status: Observed['status'], outcome: Observed['outcome']): Observed {
  return {
    status,
    outcome,
    tree: null,
    lastSequence: 0,
    changed: [],
    violations: [],
    outside: [],
    checks: [],
    tries: 0,
    used: nothingUsed,
    agentVersion: null,
    model: null,
    enforced: null,
    swept: 0,
    claim: null,
  };
}

/** The one report, uploaded whole or not at all; it is kept on disk when no upload succeeds. */
async function handIn(
  report: ResultReport,
  tools: WorkerTools,
  folders: AttemptFolders,
): Promise<AttemptEnd> {
  const file = join(folders.private, reportFile);
  await writeFileAtomic(file, `${JSON.stringify(report, null, 2)}\n`);
  const upload = { name: artifactNames.report(report.attempt), folder: folders.private, files: [file] };
  const exitCode = exitCodeOf(report);
  const uploaded = await uploadWithRetries(tools.artifacts, upload, tools.clock, (cause) =>
    tools.log.warn('the report could not be uploaded yet', { fault: faultText(cause) }),
  );
  if (!uploaded) return { kind: 'report-lost', report, keptAt: file, exitCode: 70 };
  return { kind: 'reported', report, exitCode };
}
