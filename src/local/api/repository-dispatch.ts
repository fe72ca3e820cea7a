import { z } from 'zod';
import { repoAccess } from '../access.ts';
import type { ActionsParts } from '../actions/actions-routes.ts';
import { dispatchRepository } from '../actions/trigger/repository-dispatch.ts';
import { noContent, unprocessable } from '../reply.ts';
import type { Route } from '../router.ts';

const MAX_BYTES = 64 * 1024;

const dispatchBody = z.object({
  event_type: z.string().min(1).max(100),
  client_payload: z
    .record(z.string(), z.unknown())
    .refine((payload) => Object.keys(payload).length <= 10)
    .refine((payload) => JSON.stringify(payload).length < MAX_BYTES)
    .default({}),
});

/** `repository_dispatch`: answers before anything runs, and names no run. */
export function repositoryDispatchRoutes(parts: ActionsParts): readonly Route[] {
  return [
    {
      operationId: 'repos/create-dispatch-event',
      method: 'POST',
      path: '/repos/{owner}/{repo}/dispatches',
      access: repoAccess('contents:write'),
      handler: async (ctx) => {
        const body = dispatchBody.safeParse(ctx.body);
        if (!body.success)
          return unprocessable(
            'Invalid request. event_type has 1 to 100 characters, client_payload at most 10 properties and 64 KB.',
          );
        const { event_type: type, client_payload: payload } = body.data;
        await dispatchRepository(parts, { repo: ctx.repo, actor: ctx.actor, type, payload });
        return noContent();
      },
    },
  ];
}
