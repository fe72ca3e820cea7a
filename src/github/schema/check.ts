import { z } from 'zod';
import { databaseIdSchema, oidSchema } from '../../domain/ids.ts';
import type { ObservedCheck } from '../../domain/snapshot.ts';

const statusSchema = z.string().transform((status): ObservedCheck['status'] => {
  return status === 'queued' || status === 'in_progress' || status === 'completed' ? status : 'other';
});

/** A check run, and the address that its maker gave for details. Checks of no app cannot be pinned and come as null. */
export const checkSchema = z
  .object({
    id: databaseIdSchema,
    name: z.string(),
    head_sha: oidSchema,
    app: z.object({ id: databaseIdSchema }).nullable(),
    status: statusSchema,
    conclusion: z.string().nullable(),
    external_id: z.string().nullish(),
    details_url: z.string().nullish(),
  })
  .transform((check): { check: ObservedCheck; detailsUrl: string } | null => {
    if (check.app === null) return null;
    return {
      check: {
        id: check.id,
        name: check.name,
        commit: check.head_sha,
        appId: check.app.id,
        status: check.status,
        conclusion: check.conclusion,
        externalId: check.external_id || null,
        run: null,
      },
      detailsUrl: check.details_url ?? '',
    };
  });

export const checkPageSchema = z.object({ check_runs: z.array(checkSchema) });
