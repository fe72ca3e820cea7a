import { writeZip } from '../artifacts/zip-write.ts';
import type { RunRecord } from '../runs/records.ts';

/** The logs of one attempt of a run as GitHub packs them: one file for each job; problems of the file itself, if any. Null when it is too large. */
export function runLogsArchive(run: RunRecord, attempt: number): Promise<Buffer | null> {
  const own = run.jobs.filter((job) => job.attempt === attempt);
  const jobs = own.map((job, index) => ({
    path: `${index}_${job.name.replaceAll('/', '_')}.txt`,
    data: Buffer.from(`${job.log.join('\n')}\n`),
  }));
  const problems = run.problems.map((problem) => `##[error]${problem}`).join('\n');
  return writeZip(
    problems === '' ? jobs : [{ path: 'workflow.txt', data: Buffer.from(`${problems}\n`) }, ...jobs],
  );
}
