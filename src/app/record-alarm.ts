import type { Snapshot } from '../domain/snapshot.ts';
import type { State } from '../domain/state.ts';
import { instant } from '../supervisor/draft.ts';
import type { RepositoryContext } from './context.ts';
import { remember } from './observe/find-alarms.ts';
import type { PassResult } from './pass-result.ts';
import { pushState } from './push-state.ts';

/**
 * Turns an alarm into a pause that everybody sees and that outlives this process. A state of another repository is left as it
 * is: nothing is written where it may not belong.
 */
export async function recordAlarm(context: RepositoryContext, snapshot: Snapshot): Promise<PassResult> {
  const [alarm] = snapshot.alarms;
  if (alarm === undefined) return { kind: 'changed' };
  context.log.error('alarm', { code: alarm.code, detail: alarm.detail });
  const foreign = snapshot.alarms.some((entry) => entry.code === 'wrong-repository');
  if (foreign) return { kind: 'stopped', code: alarm.code, detail: alarm.detail };
  const standing = snapshot.state.repository;
  const movedBack = snapshot.alarms.some(({ code }) => code === 'trunk-moved-back');
  const repository = {
    ...standing,
    pause: standing.pause ?? { by: 'alarm' as const, code: alarm.code, at: instant(snapshot.now) },
    // Told once: whether trunk was meant to go back is for the person to say who resumes.
    lastLanded: movedBack ? null : standing.lastLanded,
  };
  const state: State = { ...snapshot.state, repository };
  const pushed = await pushState(context, snapshot.stateHead, snapshot.state, state, []);
  // Only what stands in the state was told to people; else the next pass tells it.
  if (pushed.kind === 'moved') remember(context, pushed.head, snapshot.trunk.oid);
  if (pushed.kind === 'nothing') remember(context, snapshot.stateHead, snapshot.trunk.oid);
  return { kind: 'stopped', code: alarm.code, detail: alarm.detail };
}
