import { writeZip } from '../artifacts/zip-write.ts';
import { currentJobs, type RunRecord } from '../runs/records.ts';

/** The logs of a run's current attempt as GitHub packs them: one file for each job; problems of the file itself, if any. */
export function runLogsArchive(run: RunRecord): Buffer {
  const jobs = currentJobs(run).map((job, index) => ({
    path: `${index}_${job.name.replaceAll('/', '_')}.txt`,
    data: Buffer.from(`${job.log.join('\n')}\n`),
  }));
  const problems = run.problems.map((problem) => `##[error]${problem}`).join('\n');
  return writeZip(
    problems === '' ? jobs : [{ path: 'workflow.txt', data: Buffer.from(`${problems}\n`) }, ...jobs],
  );
}
