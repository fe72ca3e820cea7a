import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobRecord } from '../runs/records.ts';

/** The directories of one job, all below a fresh root. */
export interface JobPaths {
  readonly root: string;
  readonly workspace: string;
  readonly temp: string;
  readonly toolCache: string;
  readonly home: string;
  /** Command files, one set per step. */
  readonly commands: string;
  readonly scripts: string;
  readonly eventFile: string;
}

/** Makes the directories of a job. */
export async function makeJobPaths(workDir: string, job: JobRecord): Promise<JobPaths> {
  const root = join(workDir, `job-${job.id}`);
  const name = job.run.repo.name;
  const temp = join(root, '_temp');
  const paths: JobPaths = {
    root,
    workspace: join(root, name, name),
    temp,
    toolCache: join(root, '_tool'),
    home: join(root, '_home'),
    commands: join(temp, '_runner_file_commands'),
    scripts: join(temp, '_scripts'),
    eventFile: join(temp, '_github_workflow', 'event.json'),
  };
  const { workspace, toolCache, home, commands, scripts } = paths;
  const folders = [workspace, temp, toolCache, home, commands, scripts, join(temp, '_github_workflow')];
  for (const folder of folders) await mkdir(folder, { recursive: true });
  return paths;
}
