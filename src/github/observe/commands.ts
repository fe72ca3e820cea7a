import { z } from 'zod';
import { type DatabaseId, databaseIdSchema, type Instant, instantSchema } from '../../domain/ids.ts';
import type { ObservedCommand, ObservedComment } from '../../domain/snapshot.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { restActorSchema } from '../schema/actor.ts';
import { issueUrlSchema } from '../schema/issue-url.ts';

const commentSchema = z.object({
  id: databaseIdSchema,
  body: z.string().nullish(),
  user: restActorSchema,
  created_at: instantSchema,
  updated_at: instantSchema,
  issue_url: issueUrlSchema,
  html_url: z.string(),
});
type Comment = z.infer<typeof commentSchema>;

export interface ObservedCommands {
  readonly commands: readonly ObservedCommand[];
  /** Comments of the app itself that were made or changed. */
  readonly own: readonly ObservedComment[];
  /** Time of the newest change among all comments read: where the next scan begins; null when there were none. */
  readonly seenUntil: Instant | null;
}

/** After a long time without any command, all that was said meanwhile is to be read: by parts, so that it cannot be too much. */
const pagesPerScan = 50;

/**
 * Comments of the whole repository that begin with `/ccd`, changed at or after `since` (null: all), by time of change.
 * Times have seconds: a scan from `seenUntil` shows the last ones again, which their ids tell. Of very many the oldest are read; the scan
 * from `seenUntil` goes on with the rest.
 */
export async function observeCommands(
  client: GitHubClient,
  repo: RepoName,
  since: Instant | null,
  botId: DatabaseId,
  mostPages = pagesPerScan,
): Promise<ObservedCommands> {
  const route = 'GET /repos/{owner}/{repo}/issues/comments';
  const from = since === null ? {} : { since };
  const params = { ...repoParams(repo), sort: 'updated', direction: 'asc', ...from };
  const commands: ObservedCommand[] = [];
  const own: ObservedComment[] = [];
  let seenUntil: Instant | null = null;
  let read = 0;
  for await (const page of client.pages(route, params, z.array(commentSchema))) {
    commands.push(...page.filter(isCommand).map(toCommand));
    for (const { id, issue_url: number, body, user } of page)
      if (user.id === botId) own.push({ id, number, body: body ?? '' });
    for (const comment of page) seenUntil = later(seenUntil, comment.updated_at);
    read += 1;
    if (read >= mostPages) break;
  }
  return { commands, own, seenUntil };
}

function isCommand(comment: Comment): boolean {
  return /^\/ccd(\s|$)/.test(comment.body ?? '');
}

function toCommand(comment: Comment): ObservedCommand {
  return {
    commentId: comment.id,
    number: comment.issue_url,
    onPull: comment.html_url.includes(`/pull/${comment.issue_url}#`),
    actor: comment.user,
    at: comment.created_at,
    edited: comment.created_at !== comment.updated_at,
    body: comment.body ?? '',
  };
}

function later(one: Instant | null, other: Instant): Instant {
  return one === null || Date.parse(other) > Date.parse(one) ? other : one;
}
