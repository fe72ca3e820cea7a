import type { Snapshot } from '../domain/snapshot.ts';
import type { State } from '../domain/state.ts';
import { instant } from '../supervisor/draft.ts';
import type { RepositoryContext } from './context.ts';
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
  if (!foreign && snapshot.state.repository.pause === null) {
    const repository = {
      ...snapshot.state.repository,
      pause: { by: 'alarm' as const, code: alarm.code, at: instant(snapshot.now) },
    };
    const state: State = { ...snapshot.state, repository };
    const pushed = await pushState(context, snapshot.stateHead, snapshot.state, state, []);
    if (pushed.kind === 'moved') context.memory.stateHead = pushed.head;
  }
  return { kind: 'stopped', code: alarm.code, detail: alarm.detail };
}
