import { z } from 'zod';
import { databaseIdSchema, instantSchema, oidSchema } from '../../domain/ids.ts';
import type { ObservedRun } from '../../domain/snapshot.ts';

const statusSchema = z.string().transform((status): ObservedRun['status'] => {
  return status === 'queued' || status === 'in_progress' || status === 'completed' ? status : 'other';
});

/** One attempt of a workflow run. `actor` is who started the run, not who started it again. */
export const runSchema = z
  .object({
    id: databaseIdSchema,
    run_attempt: z.number().int().min(1).nullish(),
    event: z.string(),
    /** Comes as `path` or `path@ref`. */
    path: z.string(),
    head_branch: z.string().nullable(),
    head_sha: oidSchema,
    display_title: z.string(),
    actor: z.object({ id: databaseIdSchema }),
    status: statusSchema,
    conclusion: z.string().nullable(),
    created_at: instantSchema,
  })
  .transform(
    (run): ObservedRun => ({
      id: run.id,
      attempt: run.run_attempt ?? 1,
      event: run.event,
      path: run.path.split('@')[0] ?? run.path,
      branch: run.head_branch,
      head: run.head_sha,
      title: run.display_title,
      actorId: run.actor.id,
      status: run.status,
      conclusion: run.conclusion,
      createdAt: run.created_at,
    }),
  );

export const runPageSchema = z.object({ workflow_runs: z.array(runSchema) });
