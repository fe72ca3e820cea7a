import { z } from 'zod';
import {
  type DatabaseId,
  databaseIdSchema,
  type Instant,
  type IssueNumber,
  instantSchema,
} from '../../domain/ids.ts';
import type { LabelEvent } from '../../domain/snapshot.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { restActorSchema } from '../schema/actor.ts';
import { itemsOf } from './items-of.ts';

const eventSchema = z.object({
  id: databaseIdSchema,
  event: z.string(),
  actor: restActorSchema,
  created_at: instantSchema,
  label: z.object({ name: z.string() }).nullish(),
});
type Event = z.infer<typeof eventSchema>;

export interface IssueEvents {
  /** `labeled` events of one label, oldest first. */
  readonly requests: readonly LabelEvent[];
  readonly lastRenamedAt: Instant | null;
  /** Who changed the title. */
  readonly renamedBy: readonly DatabaseId[];
}

/** The events of an issue that decide whether it asks to be started: by REST, as only there they have ids. */
export async function observeIssueEvents(
  client: GitHubClient,
  repo: RepoName,
  number: IssueNumber,
  label: string,
): Promise<IssueEvents> {
  const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/events';
  const params = { ...repoParams(repo), issue_number: number };
  const events = await itemsOf(client.pages(route, params, z.array(eventSchema)), (page) => page);
  const renamed = events.filter((event) => event.event === 'renamed');
  return {
    requests: events
      .flatMap((event) => toRequest(event, label))
      .sort((one, other) => one.eventId - other.eventId),
    lastRenamedAt:
      renamed.map((event) => event.created_at).sort((one, other) => Date.parse(other) - Date.parse(one))[0] ??
      null,
    renamedBy: renamed.map((event) => event.actor.id),
  };
}

function toRequest(event: Event, label: string): LabelEvent[] {
  if (event.event !== 'labeled' || event.label?.name.toLowerCase() !== label.toLowerCase()) return [];
  return [{ eventId: event.id, label: event.label.name, actor: event.actor, at: event.created_at }];
}
