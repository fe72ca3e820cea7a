import type { Computation, Effect } from '../domain/command.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { State } from '../domain/state.ts';
import type { Policy } from '../policy/policy.ts';
import { answers } from './answers.ts';
import { attempts } from './attempts.ts';
import { building } from './building.ts';
import { claim } from './claim.ts';
import { closing } from './closing.ts';
import { closeDraft, type Draft, openDraft } from './draft.ts';
import { guarding } from './guarding.ts';
import { intake } from './intake.ts';
import { dropDoneIntents } from './intend.ts';
import { personCommands } from './person-commands.ts';
import { project } from './project.ts';
import { queueing } from './queueing.ts';
import { readiness } from './readiness.ts';
import { reviewing } from './reviewing.ts';
import { settle } from './settle.ts';
import { withdraw } from './withdraw.ts';

/** One decision: the state to record, what to compute first, what to write to GitHub after the push, when to look again. */
export interface Decision {
  readonly state: State;
  readonly computations: readonly Computation[];
  readonly effects: readonly Effect[];
  readonly wakeAt: number | null;
}

/**
 * Decides what one repository needs next. Pure: the same snapshot and policy give the same decision, and a snapshot in which
 * everything is done gives none.
 */
export function decide(snapshot: Snapshot, policy: Policy, readSpec: Draft['readSpec']): Decision {
  if (snapshot.alarms.length > 0) {
    return { state: snapshot.state, computations: [], effects: [], wakeAt: null };
  }
  const draft = openDraft(snapshot, policy, readSpec);
  intake(draft);
  personCommands(draft);
  withdraw(draft);
  readiness(draft);
  attempts(draft);
  guarding(draft);
  reviewing(draft);
  queueing(draft);
  building(draft);
  claim(draft);
  closing(draft);
  project(draft);
  answers(draft);
  dropDoneIntents(draft);
  settle(draft);
  return {
    state: closeDraft(draft),
    computations: draft.computations,
    effects: draft.effects,
    wakeAt: draft.wakeAt,
  };
}
