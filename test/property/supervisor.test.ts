import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TaskState } from '../../src/domain/state.ts';
import { Instance } from './supervisor/instance.ts';
import { type Luck, surroundingsStep } from './supervisor/surroundings.ts';
import { changeIssue, label, moveTrunk, newWorld, type SimWorld, unlabel } from './supervisor/world.ts';

type Op =
  | { readonly kind: 'pass' | 'step' | 'crash' | 'lost' | 'doubled'; readonly who: 0 | 1 }
  | { readonly kind: 'steps'; readonly who: 0 | 1; readonly count: number }
  | { readonly kind: 'surroundings'; readonly luck: Luck }
  | { readonly kind: 'time'; readonly seconds: number }
  | { readonly kind: 'label' | 'unlabel' | 'close' | 'reopen' | 'close-pull'; readonly issue: number }
  | { readonly kind: 'trunk' };

const who = fc.constantFrom<0 | 1>(0, 1);
const issue = fc.integer({ min: 1, max: 3 });
const luck = fc.constantFrom<Luck>(
  'good',
  'good',
  'good',
  'bad',
  'refused',
  'unreadable',
  'conflicting',
  'lost',
  'failed',
  'red',
  'cancelled',
);
const machine: fc.Arbitrary<Op> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('pass' as const), who }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('steps' as const), who, count: fc.integer({ min: 1, max: 6 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('step', 'crash', 'lost', 'doubled'), who }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('surroundings' as const), luck }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('time' as const),
      seconds: fc.constantFrom(1, 5, 25, 400, 4000),
    }),
  },
);
const people: fc.Arbitrary<Op> = fc.oneof(
  fc.record({
    kind: fc.constantFrom(
      'label' as const,
      'unlabel' as const,
      'close' as const,
      'reopen' as const,
      'close-pull' as const,
    ),
    issue,
  }),
  fc.constant({ kind: 'trunk' } as const),
);
const withPeople = fc.array(fc.oneof({ weight: 8, arbitrary: machine }, { weight: 1, arbitrary: people }), {
  minLength: 30,
  maxLength: 200,
  size: 'max',
});

function apply(world: SimWorld, instances: readonly Instance[], op: Op): void {
  switch (op.kind) {
    case 'pass':
      instances[op.who]!.whole();
      return;
    case 'step':
      instances[op.who]!.step();
      return;
    case 'steps':
      for (let count = 0; count < op.count; count += 1) instances[op.who]!.step();
      return;
    case 'crash':
      instances[op.who]!.crash();
      return;
    case 'lost':
    case 'doubled':
      instances[op.who]!.spoil(op.kind);
      return;
    case 'surroundings':
      surroundingsStep(world, op.luck);
      return;
    case 'time':
      world.now += op.seconds * 1000;
      return;
    case 'trunk':
      moveTrunk(world);
      return;
    case 'label':
      label(world, op.issue);
      return;
    case 'unlabel':
      unlabel(world, op.issue);
      return;
    case 'close':
    case 'reopen':
      changeIssue(world, op.issue, { open: op.kind === 'reopen', stateReason: null });
      return;
    case 'close-pull':
      closePull(world, op.issue);
      return;
  }
}

function closePull(world: SimWorld, number: number): void {
  const pull = [...world.pulls.values()].find(
    (entry) => entry.open && entry.headRef === `ccd/task/${number}`,
  );
  if (pull !== undefined) world.pulls.set(pull.number, { ...pull, open: false });
}

/** Whatever happened before: from here on everything works, until nothing moves any more. */
function runToRest(world: SimWorld): void {
  const last = new Instance(world, 'last');
  for (let round = 0; round < 600; round += 1) {
    const { wrote, wakeAt } = last.whole();
    const moved = surroundingsStep(world, 'good');
    if (wrote || moved) world.now += 1000;
    else if (wakeAt !== null) world.now = Math.max(world.now + 1, wakeAt);
    else return;
  }
  throw new Error(`no rest after 600 passes: ${describeWorld(world)}`);
}

function describeWorld(world: SimWorld): string {
  const tasks = [...world.state.tasks.values()].map(
    (task) => `${task.issue} ${task.phase} ${task.reason?.code} settled=${task.settled}`,
  );
  return [...tasks, JSON.stringify(world.state.queue), JSON.stringify(world.state.repository.intents)].join(
    '\n',
  );
}

/** What holds once nothing moves any more, whatever came before. */
function checkRest(world: SimWorld): void {
  for (const name of ['last', 'another']) {
    expect(new Instance(world, name).whole(), `a pass of ${name} over a world at rest`).toEqual({
      wrote: false,
      wakeAt: null,
    });
  }
  expect(world.state.repository.intents).toEqual({});
  expect(world.state.queue).toMatchObject({ members: [], build: null });
  expect([...world.refs.keys()].filter((ref) => ref.startsWith('refs/heads/ccd/queue/'))).toEqual([]);
  for (const [attempt, starts] of world.seen.agentStarts) expect(starts, `agents of ${attempt}`).toBe(1);
  const landed = world.seen.landings.flatMap((landing) => landing.tasks);
  expect(landed.length, 'each task lands at most once').toBe(new Set(landed).size);
  for (const task of world.state.tasks.values()) {
    const rests =
      task.settled ||
      (task.phase === 'waiting' && /^(predecessor|waits-for|dependency)-/.test(task.reason?.code ?? ''));
    expect(rests, describeWorld(world)).toBe(true);
    expect(task.phase === 'landed').toBe(landed.includes(task.issue));
    if (!world.seen.stale.has(task.issue)) checkShown(world, task);
  }
}

/**
 * What people see agrees with the state: whatever was lost on the way was made up for before the task was left alone. Not asked of
 * issues that an instance wrote to late: GitHub takes such a write at any time, and a settled task is looked at no more.
 */
function checkShown(world: SimWorld, task: TaskState): void {
  const comment = world.comments.find((entry) => entry.id === task.statusComment);
  expect(comment?.body).toContain(`### ccd: ${task.phase}`);
  const phases = world.issues.get(task.issue)!.labels.filter((name) => name !== 'ccd:dispatch');
  expect(phases).toEqual([`ccd:${task.phase}`]);
  const judged = task.refused?.commit ?? task.candidate?.oid;
  if (judged === undefined || task.phase === 'landed') return;
  const guard = (world.checks.get(judged) ?? []).filter((check) => check.name === 'ccd / guard').at(-1);
  expect(guard?.externalId, `the guard check of ${task.issue}, ${task.phase}`).toBe(
    task.guardCheck?.shown ?? 'shown',
  );
}

function simulate(ops: readonly Op[]): SimWorld {
  const world = newWorld();
  const instances = [new Instance(world, 'one'), new Instance(world, 'two')];
  for (const op of ops) apply(world, instances, op);
  runToRest(world);
  checkRest(world);
  return world;
}

describe('a supervisor in a world that misbehaves', () => {
  test('left alone, lands every task in the order of its dependencies', () => {
    const world = simulate([]);
    expect(world.seen.landings.flatMap((landing) => landing.tasks).sort()).toEqual([1, 2, 3]);
    expect(world.seen.landings[0]?.tasks).toEqual([1]);
    expect([...world.state.tasks.values()].map((task) => task.generation)).toEqual([1, 1, 1]);
    expect(world.comments).toHaveLength(3);
    expect(world.pulls.size).toBe(3);
  });

  test('killed, raced, unlucky and interfered with, it comes to rest and breaks no promise', () => {
    fc.assert(
      fc.property(withPeople, (ops) => {
        simulate(ops);
      }),
      { numRuns: 100 },
    );
  }, 240_000);

  test('killed and raced, but neither unlucky nor interfered with, it lands everything', () => {
    const faults = machine.map(
      (op): Op => (op.kind === 'surroundings' ? { kind: 'surroundings', luck: 'good' } : op),
    );
    fc.assert(
      fc.property(fc.array(faults, { minLength: 30, maxLength: 150, size: 'max' }), (ops) => {
        const world = simulate(ops);
        expect(world.seen.landings.flatMap((landing) => landing.tasks).sort()).toEqual([1, 2, 3]);
      }),
      { numRuns: 60 },
    );
  }, 240_000);
});
