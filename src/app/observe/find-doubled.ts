import { z } from 'zod';
import type { IssueNumber } from '../../domain/ids.ts';
import type { ObservedComment } from '../../domain/snapshot.ts';
import type { State } from '../../domain/state.ts';
import { findMarked, observeComment } from '../../github/observe/comments.ts';
import { parseMarker, renderMarker } from '../../text/marker.ts';
import type { OwnComment, RepositoryContext } from '../context.ts';

/** A comment that GitHub will not take away is left after as many looks. */
const mostLooks = 5;

/** Issues whose tasks have to be loaded before `findDoubled` can tell. */
export function issuesOfOwn({ memory }: RepositoryContext): IssueNumber[] {
  return [...memory.ownComments.values()].filter(isStatus).map(({ number }) => number);
}

/**
 * Comments of the app that stand twice: an instance that stood still in the middle of a write goes on with it later, whatever another
 * one did meanwhile. Of status comments the one that state knows is kept, of answers the oldest.
 */
export async function findDoubled(context: RepositoryContext, state: State): Promise<ObservedComment[]> {
  const { ownComments } = context.memory;
  const doubled: ObservedComment[] = [];
  for (const own of [...ownComments.values()]) {
    const word = await tell(context, state, own);
    if (word === 'open') continue;
    if (word === 'single' || own.looks >= mostLooks) ownComments.delete(own.id);
    else ownComments.set(own.id, { ...own, looks: own.looks + 1 });
    if (word === 'doubled') doubled.push(own);
  }
  return doubled;
}

async function tell(
  context: RepositoryContext,
  state: State,
  own: OwnComment,
): Promise<'single' | 'doubled' | 'open'> {
  const { client, name, app } = context;
  if (isStatus(own)) {
    const task = state.tasks.get(own.number);
    if (task === undefined || task.statusComment === own.id) return 'single';
    if (task.statusComment === null) return 'open';
    return (await observeComment(client, name, own.id)) === null ? 'single' : 'doubled';
  }
  const reply = parseMarker('reply', own.body, z.object({ to: z.string() }));
  if (reply === null) return 'single';
  const marker = renderMarker('reply', { to: reply.to });
  const oldest = await findMarked(client, name, own.number, { marker, botId: app.botId });
  if (oldest === null || oldest.id === own.id) return 'single';
  return (await observeComment(client, name, own.id)) === null ? 'single' : 'doubled';
}

function isStatus({ number, body }: ObservedComment): boolean {
  return parseMarker('status', body, z.object({ issue: z.literal(number) })) !== null;
}
