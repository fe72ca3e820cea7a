import { presentRepository } from '../../present/repository.ts';
import type { Repo } from '../../records/repository.ts';
import type { Store } from '../../store.ts';
import type { Value } from '../expressions/values.ts';
import { actionsActor } from '../report/check-reports.ts';
import type { RunRecord } from '../runs/records.ts';
import type { RunEngine } from '../runs/run-engine.ts';
import { startRun } from './event-runs.ts';
import { readHeadCommit } from './head-commit.ts';
import type { WorkflowFiles } from './workflow-files.ts';

/** Starts every workflow of the default branch that has a `schedule`. Nothing here watches the clock. */
export async function fireSchedule(
  parts: { readonly store: Store; readonly engine: RunEngine; readonly files: WorkflowFiles },
  repo: Repo,
): Promise<RunRecord[]> {
  const { store, engine, files } = parts;
  const ref = `refs/heads/${repo.defaultBranch}`;
  const tip = await repo.git.ref(ref);
  const headCommit = tip === null ? null : await readHeadCommit(repo, tip);
  if (headCommit === null) return [];
  const runs: RunRecord[] = [];
  for (const path of await files.list(repo, headCommit.id)) {
    const reading = await files.read(repo, headCommit.id, path);
    if (reading === null || reading.kind === 'invalid') continue;
    const triggers = reading.kind === 'parsed' ? reading.workflow.triggers : reading.triggers;
    const [first] = triggers.schedule ?? [];
    if (first === undefined) continue;
    const payload = { schedule: first.cron, repository: presentRepository(store.urls, repo) };
    runs.push(
      startRun(store, engine, {
        repo,
        path,
        reading,
        actor: actionsActor(store),
        cause: {
          event: 'schedule',
          payload: JSON.parse(JSON.stringify(payload)) as { readonly [key: string]: Value },
          ref,
          headBranch: repo.defaultBranch,
          headSha: headCommit.id,
          headCommit,
          sha: headCommit.id,
          baseRef: null,
          headRef: null,
          pullNumber: null,
          inputs: {},
        },
      }),
    );
  }
  return runs;
}
