import { z } from 'zod';
import { databaseIdSchema, issueNumberSchema, oidSchema } from '../../domain/ids.ts';
import type { ObservedPull } from '../../domain/snapshot.ts';
import { restActorSchema } from './actor.ts';

const sideSchema = z.object({
  ref: z.string(),
  sha: oidSchema,
  label: z.string().nullish(),
  repo: z.object({ id: databaseIdSchema }).nullish(),
});

const fields = z.object({
  id: databaseIdSchema,
  node_id: z.string(),
  number: issueNumberSchema,
  state: z.enum(['open', 'closed']),
  merged: z.boolean().nullish(),
  merged_at: z.string().nullish(),
  draft: z.boolean().nullish(),
  head: sideSchema,
  base: sideSchema,
  body: z.string().nullable(),
  user: restActorSchema,
});

/**
 * A pull request without its reviews. A head in another repository is named `owner:branch` (a colon stands in no branch's
 * name), so that a fork's `ccd/task/1` is never taken for ours.
 */
export const pullSchema = fields.transform(
  (pull): ObservedPull => ({
    number: pull.number,
    id: pull.id,
    nodeId: pull.node_id,
    open: pull.state === 'open',
    merged: pull.merged ?? pull.merged_at != null,
    draft: pull.draft ?? false,
    head: pull.head.sha,
    headRef: headName(pull),
    base: pull.base.ref,
    body: pull.body ?? '',
    author: pull.user,
    reviews: [],
  }),
);

function headName({ head, base }: z.infer<typeof fields>): string {
  if (head.repo != null && head.repo.id === base.repo?.id) return head.ref;
  return head.label?.includes(':') ? head.label : `unknown:${head.ref}`;
}
