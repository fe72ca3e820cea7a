import type { ActionsParts } from '../actions/actions-routes.ts';
import type { Artifact } from '../actions/artifacts/artifact-store.ts';
import { workflowName } from '../actions/runs/new-run.ts';
import type { JobRecord, RunRecord, WorkflowRecord } from '../actions/runs/records.ts';
import type { Context } from '../router.ts';

/** The run that the path names, if it belongs to the repository of the path. */
export function runOf(parts: ActionsParts, ctx: Context): RunRecord | undefined {
  const run = parts.engine.runs.get(Number(ctx.params.run_id));
  return run?.repo === ctx.repo ? run : undefined;
}

/** The job that the path names, if it belongs to the repository of the path. */
export function jobOf(parts: ActionsParts, ctx: Context): JobRecord | undefined {
  const job = parts.engine.job(Number(ctx.params.job_id));
  return job?.run.repo === ctx.repo ? job : undefined;
}

/** The readable artifact that the path names, if it belongs to the repository of the path. */
export function artifactOf(parts: ActionsParts, ctx: Context): Artifact | undefined {
  const artifact = parts.artifacts.byId(Number(ctx.params.artifact_id));
  return artifact?.finalized && artifact.run.repo === ctx.repo ? artifact : undefined;
}

/** Workflows of the repository: the files of the default branch, and every other that ever had a run. */
export async function workflowsOf(parts: ActionsParts, ctx: Context): Promise<WorkflowRecord[]> {
  const { engine, files } = parts;
  const { repo } = ctx;
  const trunk = await repo.git.ref(`refs/heads/${repo.defaultBranch}`);
  for (const path of trunk === null ? [] : await files.list(repo, trunk)) {
    const reading = await files.read(repo, trunk!, path);
    const name = reading === null ? path : workflowName(path, reading);
    engine.workflows.of(repo, path, name);
  }
  return engine.workflows.in(repo);
}

/** The workflow that the path names by id or by file name. */
export async function workflowOf(parts: ActionsParts, ctx: Context): Promise<WorkflowRecord | undefined> {
  const wanted = ctx.params.workflow_id ?? '';
  const all = await workflowsOf(parts, ctx);
  return all.find((workflow) => String(workflow.id) === wanted || workflow.path.split('/').at(-1) === wanted);
}
