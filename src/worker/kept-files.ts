import { cp, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { removeTree } from '../host/remove-tree.ts';
import { handoverFiles, handoverRef } from './handover.ts';
import type { WorkerJob } from './worker-job.ts';

/** What was kept longer than this was not wanted. */
const keptMs = 30 * 24 * 3600_000;

const howTo = [
  'What lies here was finished by an attempt of ccd and could not be uploaded to GitHub.',
  '',
  `${handoverFiles.bundle} holds the change as one commit. To recover it, in a clone of the repository:`,
  '',
  `    git fetch <this folder>/handover-<n>/${handoverFiles.bundle} ${handoverRef}`,
  '    git switch -c recovered FETCH_HEAD',
  '',
  'Look at it, push it as a branch of your own, and open a pull request. ccd does not read this folder; a new attempt at the',
  'task starts from the last tree that did arrive. report.json tells how the attempt ended. The folder is removed after 30 days.',
  '',
].join('\n');

/**
 * Copies what could not be uploaded to a place that outlives the job (a runner empties its temporary folder) and puts a
 * sentence on recovery beside it. Returns the folder. Copies of attempts that are long over are removed.
 */
export async function keepFiles(
  job: Pick<WorkerJob, 'attempt' | 'runId' | 'keepFolder'>,
  paths: readonly string[],
): Promise<string> {
  const folder = join(job.keepFolder, `${job.attempt}-run-${job.runId}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, 'README.txt'), howTo, { mode: 0o600 });
  for (const path of paths) await cp(path, join(folder, basename(path)), { recursive: true });
  return folder;
}

/** Removes what was kept more than 30 days before `nowMs`. */
export async function forgetKept(keepFolder: string, nowMs: number): Promise<void> {
  for (const name of await readdir(keepFolder).catch(() => [])) {
    const folder = join(keepFolder, name);
    const found = await stat(folder).catch(() => null);
    if (found !== null && nowMs - found.mtimeMs > keptMs) await removeTree(folder);
  }
}
