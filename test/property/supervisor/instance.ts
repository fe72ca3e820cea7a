import type { Effect, RefMove } from '../../../src/domain/command.ts';
import { zeroOid } from '../../../src/domain/ids.ts';
import type { Snapshot } from '../../../src/domain/snapshot.ts';
import type { State } from '../../../src/domain/state.ts';
import { decide } from '../../../src/supervisor/decide.ts';
import { intentKeys } from '../../../src/supervisor/intend.ts';
import { record } from '../../../src/supervisor/record.ts';
import { flat } from '../../support/snapshots.ts';
import { computeIn } from './compute.ts';
import { applyTo } from './effects.ts';
import { observeWorld, readSpec } from './observe.ts';
import { instantOf, policy, type SimWorld } from './world.ts';

interface Pass {
  readonly snapshot: Snapshot;
  readonly state: State;
  readonly moves: readonly RefMove[];
  readonly effects: Effect[];
  readonly wakeAt: number | null;
  pushed: boolean;
  /** Where the state stood when the push was made. */
  head: number;
}

export type Stepped = 'decided' | 'pushed' | 'lost' | 'effect' | 'over';

/** One supervisor: its pass is cut into steps, between which the world moves and it may die. */
export class Instance {
  readonly name: string;
  readonly world: SimWorld;
  #pass: Pass | null = null;

  constructor(world: SimWorld, name: string) {
    this.world = world;
    this.name = name;
  }

  /** Forgets everything, as a killed process does. */
  crash(): void {
    this.#pass = null;
  }

  /** The next effect is made twice, or not at all though the machine believes it was. */
  spoil(how: 'lost' | 'doubled'): void {
    const effects = this.#pass?.effects;
    const [next] = effects ?? [];
    if (effects === undefined || next === undefined || this.#pass?.pushed !== true) return;
    if (how === 'lost') effects.shift();
    else effects.unshift(next);
  }

  step(): Stepped {
    if (this.#pass === null) {
      this.#pass = this.#decide();
      return 'decided';
    }
    const pass = this.#pass;
    if (!pass.pushed) {
      pass.pushed = push(this.world, pass);
      pass.head = this.world.stateHead;
      if (!pass.pushed) this.#pass = null;
      return pass.pushed ? 'pushed' : 'lost';
    }
    const effect = pass.effects.shift();
    if (effect === undefined) {
      this.#pass = null;
      return 'over';
    }
    mustBeIntended(pass, effect, this.name);
    if ('issue' in effect && pass.head !== this.world.stateHead) this.world.seen.stale.add(effect.issue);
    applyTo(this.world, effect);
    return 'effect';
  }

  /** One whole pass. `wrote`: it pushed or made an effect. */
  whole(): { readonly wrote: boolean; readonly wakeAt: number | null } {
    this.crash();
    const before = this.world.stateHead;
    const refs = flat(this.world.refs);
    this.step();
    const wakeAt = this.#pass?.wakeAt ?? null;
    let effects = 0;
    for (let stepped = this.step(); this.#pass !== null; stepped = this.step())
      if (stepped === 'effect') effects += 1;
    return {
      wrote: effects > 0 || this.world.stateHead !== before || flat(this.world.refs) !== refs,
      wakeAt,
    };
  }

  #decide(): Pass {
    const snapshot = observeWorld(this.world, this.name);
    const decision = decide(snapshot, policy, readSpec);
    const input = { world: this.world, snapshot, state: decision.state };
    const outcomes = decision.computations.map((work) => computeIn(input, work));
    const state = record(decision.state, outcomes, instantOf(this.world));
    const moves = outcomes.flatMap((outcome) => ('moves' in outcome ? outcome.moves : []));
    return {
      snapshot,
      state,
      moves,
      effects: [...decision.effects],
      wakeAt: decision.wakeAt,
      pushed: false,
      head: 0,
    };
  }
}

/** The one atomic push: the state only where it still stands, each ref only where it was expected, all or nothing. */
function push(world: SimWorld, pass: Pass): boolean {
  const { snapshot, state, moves } = pass;
  const changes = flat({ ...state, builds: [] }) !== flat({ ...snapshot.state, builds: [] });
  if (changes && Number(snapshot.stateHead) !== world.stateHead) return false;
  if (new Set(moves.map((move) => move.ref)).size !== moves.length)
    throw new Error('one ref moves twice in a push');
  if (moves.some((move) => (world.refs.get(move.ref) ?? zeroOid) !== move.expected)) return false;
  for (const { ref, next } of moves) {
    if (next === zeroOid) world.refs.delete(ref);
    else world.refs.set(ref, next);
  }
  if (changes) commit(world, state);
  return true;
}

function commit(world: SimWorld, state: State): void {
  world.stateHead += 1;
  const tasks = new Map([...world.state.tasks, ...state.tasks]);
  world.state = structuredClone({ ...state, tasks, builds: new Map() });
  for (const build of state.builds.values()) {
    world.seen.builds.push(build);
    if (build.outcome !== 'landed') continue;
    if (world.refs.get('refs/heads/main') !== build.commit)
      throw new Error('a landing was recorded without its trunk');
    world.trunkTree = build.tree!;
    world.seen.landings.push({ commit: build.commit, tasks: build.members.map((member) => member.number) });
  }
  for (const task of tasks.values()) {
    const seen = world.seen.generations.get(task.issue) ?? 0;
    if (task.generation < seen)
      throw new Error(`generation of ${task.issue} fell from ${seen} to ${task.generation}`);
    world.seen.generations.set(task.issue, task.generation);
    if (task.attempt?.runId == null) continue;
    const bound = world.seen.bound.get(task.attempt.id) ?? task.attempt.runId;
    if (bound !== task.attempt.runId) throw new Error(`attempt ${task.attempt.id} was bound twice`);
    world.seen.bound.set(task.attempt.id, bound);
  }
}

/** No effect without conditional write is made whose intent is not in the state that this very pass pushed. */
function mustBeIntended(pass: Pass, effect: Effect, instance: string): void {
  const key = keyOf(effect, pass.state.queue.build?.try ?? 0);
  if (key === null) return;
  if (pass.state.repository.intents[key]?.instance !== instance)
    throw new Error(`${effect.kind} without the intent ${key}`);
}

function keyOf(effect: Effect, buildTry: number): string | null {
  switch (effect.kind) {
    case 'create-status-comment':
      return intentKeys.statusComment(effect.issue);
    case 'create-pull':
      return intentKeys.pull(effect.issue);
    case 'put-guard-check':
      return intentKeys.guardCheck(effect.issue, effect.commit);
    case 'put-landing-check':
      return intentKeys.landingCheck(effect.build, buildTry);
    case 'dispatch-worker':
      return intentKeys.worker(effect.attempt);
    case 'dispatch-facts':
      return intentKeys.facts(effect.planDigest, effect.try);
    case 'reply':
      return intentKeys.answer(effect.to);
    default:
      return null;
  }
}
