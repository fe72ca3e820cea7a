import { z } from 'zod';
import type { RefMove } from '../domain/command.ts';
import { canonicalJson } from '../domain/digest.ts';
import { CcdError } from '../domain/errors.ts';
import type { Oid } from '../domain/ids.ts';
import {
  queueStateSchema,
  repositoryStateSchema,
  type State,
  statePaths,
  taskStateSchema,
} from '../domain/state.ts';
import { atomicPush } from '../git/atomic-push.ts';
import { stateRef } from '../git/refs.ts';
import { writeState } from '../git/state-branch.ts';
import type { RepositoryContext } from './context.ts';

export type StatePush =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'moved'; readonly head: Oid }
  /** Somebody else moved first, or the answer was lost: everything is read again. */
  | { readonly kind: 'again'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string };

/** Files that differ between two states, by path; null removes. */
export function changedFiles(before: State, after: State): Map<string, unknown> {
  const files = new Map<string, unknown>();
  if (differs(before.repository, after.repository))
    files.set(statePaths.repository, readable(repositoryStateSchema, after.repository));
  if (differs(before.queue, after.queue))
    files.set(statePaths.queue, readable(queueStateSchema, after.queue));
  for (const [issue, task] of after.tasks) {
    const standing = before.tasks.get(issue);
    if (standing !== undefined && !differs(standing, task)) continue;
    files.set(statePaths.task(issue), readable(taskStateSchema, task));
    if (standing === undefined || standing.settled !== task.settled) {
      files.set(statePaths.active(issue), task.settled ? null : {});
    }
    if (task.verdict !== null && task.verdict.verdict !== 'could-not-judge') {
      files.set(statePaths.verdict(task.verdict.keyDigest), task.verdict);
    }
  }
  for (const record of after.builds.values()) files.set(statePaths.build(record.number, record.try), record);
  return files;
}

/** What could not be read again is not written: the standing state stays usable. Throws `bug.state-unreadable`. */
function readable<T>(schema: z.ZodType<T>, value: T): T {
  const checked = schema.safeParse(value);
  if (checked.success) return value;
  throw new CcdError({
    code: 'bug.state-unreadable',
    message: `A decision would write a state that cannot be read: ${z.prettifyError(checked.error).slice(0, 500)}`,
    remedy: 'Report this with the log of the run; nothing was written.',
    audience: 'bug',
  });
}

function differs(left: unknown, right: unknown): boolean {
  return canonicalJson(left) !== canonicalJson(right);
}

/** Moves the state, and every ref that belongs to the same step, by the one atomic push. Never repeated here. */
export async function pushState(
  context: RepositoryContext,
  head: Oid,
  before: State,
  after: State,
  moves: readonly RefMove[],
  points: readonly string[] = ['state-push'],
): Promise<StatePush> {
  const files = changedFiles(before, after);
  if (files.size === 0 && moves.length === 0) return { kind: 'nothing' };
  const { clone, clock } = context;
  const next = await writeState(clone, {
    parent: head,
    files,
    message: 'ccd: one pass',
    date: Math.floor(clock.now() / 1000),
  });
  const own = next === head ? [] : [{ ref: stateRef, expected: head, next }];
  for (const point of points) await context.checkpoint(`before.${point}`);
  const pushed = await atomicPush(clone, [...own, ...moves]);
  for (const point of points) await context.checkpoint(`after.${point}`);
  if (pushed.kind === 'moved') return { kind: 'moved', head: next };
  if (pushed.kind === 'lost')
    return { kind: 'again', why: pushed.refs.map((lost) => `${lost.ref} ${lost.reason}`).join(', ') };
  if (pushed.kind === 'unclear') return { kind: 'again', why: pushed.cause };
  return { kind: 'refused', why: `${pushed.reason}: ${pushed.detail}` };
}
