import { nodeId } from '../node-id.ts';
import type { Actor } from '../principal.ts';
import type { Issue, TimelineEvent } from '../records/issue.ts';
import type { Store } from '../store.ts';

/** Adds an entry to an issue's history and moves its `updated_at`. */
export function record(
  store: Store,
  issue: Issue,
  actor: Actor,
  event: string,
  detail: Partial<Omit<TimelineEvent, 'id' | 'nodeId' | 'event' | 'actor' | 'app' | 'createdAt'>> = {},
): TimelineEvent {
  const id = store.nextId('event');
  const entry: TimelineEvent = {
    id,
    nodeId: nodeId('EV', id),
    event,
    actor: actor.user,
    app: actor.app,
    createdAt: store.now(),
    ...detail,
  };
  issue.timeline.push(entry);
  issue.updatedAt = store.now();
  return entry;
}
