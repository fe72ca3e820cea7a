import { describe, expect, test } from 'vitest';
import type { ObservedIssue } from '../../../src/domain/snapshot.ts';
import type { TaskState } from '../../../src/domain/state.ts';
import { pathsOverlap } from '../../../src/supervisor/graph/path-overlap.ts';
import {
  at,
  attemptOf,
  bodyOf,
  decideIn,
  effectsOf,
  issueOf,
  oid,
  policyOf,
  taskIn,
  taskOf,
  type World,
} from '../../support/snapshots.ts';

const issue = issueOf(1);
const ready = (over: Partial<TaskState> = {}) => taskOf(issue, { phase: 'ready', ...over });
const claimed = (world: World, over: Partial<TaskState> = {}, policy = policyOf()) =>
  taskIn(decideIn({ issues: [issue], tasks: [ready(over)], ...world }, policy));

describe('a claim', () => {
  test('raises the generation and writes the contract, and starts nothing before it is pushed', () => {
    const decision = decideIn({ issues: [issue], tasks: [ready()] });
    expect(taskIn(decision)).toMatchObject({
      phase: 'running',
      generation: 1,
      spent: { generations: 1 },
      attempt: {
        id: '1.1',
        runId: null,
        dispatches: 0,
        contract: { base: oid('trunk'), generation: 1, bodyDigest: issue.bodyDigest, carry: null },
      },
    });
    expect(effectsOf(decision, 'dispatch-worker')).toEqual([]);
  });

  test('carries the refused change on to the next worker', () => {
    const carry = { candidate: oid('old'), base: oid('older') };
    expect(claimed({}, { carry, generation: 1 }).attempt?.contract).toMatchObject({ carry, generation: 2 });
  });

  test.each([
    ['state', {}, { generation: 6 }],
    ['a published attempt', { refs: { 'refs/heads/ccd/attempt/1.6': oid('x') } }, {}],
    ['a branch of a fork', { refs: { 'refs/heads/ccd/attempt/1.6.b': oid('x') } }, {}],
    ['a refused tree', { refs: { 'refs/ccd/refused/1.6.2': oid('x') } }, {}],
    ['a run of the worker', { runsByTitle: [['1.6', []]] as const }, {}],
  ] as [string, World, Partial<TaskState>][])(
    'goes above the generation seen in %s',
    (_where, world, over) => {
      expect(claimed(world, over).generation).toBe(7);
    },
  );

  test('needs whoever asked to have write access still, as read for it', () => {
    const again = { issues: [{ ...issue, requests: [] }] };
    const of = (askerMayWrite: boolean | null) => ({ issues: [{ ...again.issues[0]!, askerMayWrite }] });
    expect(claimed(of(true))).toMatchObject({ phase: 'running', generation: 1 });
    expect(claimed(of(null))).toMatchObject({ phase: 'ready', generation: 0, attempt: null });
    expect(claimed(of(false))).toMatchObject({
      phase: 'withdrawn',
      generation: 0,
      reason: { code: 'labeller-may-not-write' },
    });
  });

  test('is not made for a spec that trunk’s policy no longer allows', () => {
    const now = issueOf(1, { body: bodyOf({ kind: 'nope' }) });
    const task = taskOf(now, { phase: 'ready' });
    expect(claimed({ issues: [now], tasks: [task] })).toMatchObject({
      phase: 'invalid',
      generation: 0,
      reason: { code: 'spec-invalid' },
    });
  });

  test('does not count generations of other tasks', () => {
    const refs = { 'refs/heads/ccd/attempt/11.6': oid('x'), 'refs/heads/ccd/attempt/x.9': oid('x') };
    expect(claimed({ refs }).generation).toBe(1);
    const absurd = { 'refs/ccd/refused/1.9007199254740991.1': oid('x') };
    expect(claimed({ refs: absurd }).generation).toBe(1);
  });
});

describe('what holds a ready task', () => {
  test('a pause and a freeze', () => {
    const pause = { by: 'person', code: 'paused-by-command', at: at(1) } as const;
    expect(claimed({ repository: { pause } })).toMatchObject({ phase: 'ready', reason: { code: 'paused' } });
    expect(claimed({ repository: { frozen: true } })).toMatchObject({
      phase: 'ready',
      reason: { code: 'frozen' },
    });
  });

  test('too many running tasks', () => {
    const other = issueOf(2);
    const running = taskOf(other, { phase: 'running', generation: 1, attempt: attemptOf(other) });
    const world = { issues: [issue, other], tasks: [ready(), running] };
    const held = taskIn(decideIn(world, policyOf({ caps: { running: 1 } })));
    expect(held).toMatchObject({
      phase: 'ready',
      generation: 0,
      reason: { code: 'too-many-running', of: 1 },
    });
    expect(taskIn(decideIn(world, policyOf({ caps: { running: 2 } }))).phase).toBe('running');
  });

  test('money and generations that are used up halt it', () => {
    const money = { microUsd: 20_000_000, tries: 0, generations: 0, queueEntries: 0 };
    expect(claimed({}, { spent: money })).toMatchObject({
      phase: 'halted',
      reason: { code: 'task-budget-spent' },
    });
    const generations = { microUsd: 0, tries: 0, generations: 3, queueEntries: 1 };
    const reason = { code: 'merge-conflict', of: 4 };
    expect(claimed({}, { spent: generations, reason })).toMatchObject({
      phase: 'halted',
      reason: { code: 'generations-used-up.merge-conflict', of: 4 },
    });
  });

  const overlapping = issueOf(2, { body: bodyOf({ allowed_paths: ['docs/1/a.md'] }) });

  test.each(['running', 'guarding', 'reviewing', 'queued'] as const)(
    'paths owned by a task that is %s',
    (phase) => {
      const owner = taskOf(overlapping, { phase, generation: 1, attempt: attemptOf(overlapping) });
      expect(claimed({ issues: [issue, overlapping], tasks: [ready(), owner] })).toMatchObject({
        phase: 'ready',
        reason: { code: 'paths-owned-by', of: 2 },
      });
    },
  );

  test.each(['held', 'halted', 'landed', 'withdrawn'] as const)('a task that is %s owns nothing', (phase) => {
    const owner = taskOf(overlapping, { phase, generation: 1, settled: true });
    expect(claimed({ issues: [issue, overlapping], tasks: [ready(), owner] }).phase).toBe('running');
  });

  test('of two that overlap only one is claimed in a pass: by priority (0 first), then by number', () => {
    const first = (one: number, two: number) => {
      const issues = [
        issueOf(1, { body: bodyOf({ priority: one }) }),
        issueOf(2, { body: bodyOf({ priority: two }) }),
      ];
      const tasks = issues.map((entry: ObservedIssue) => taskOf(entry, { phase: 'ready' }));
      const decision = decideIn({ issues, tasks });
      return [...decision.state.tasks.values()]
        .filter((task) => task.phase === 'running')
        .map((t) => t.issue);
    };
    expect(first(5, 0)).toEqual([2]);
    expect(first(0, 9)).toEqual([1]);
    expect(first(3, 3)).toEqual([1]);
  });
});

describe('pathsOverlap', () => {
  test.each([
    [['src/a.ts'], ['src/a.ts'], true],
    [['src/a.ts'], ['src/b.ts'], false],
    [['src/'], ['src/deep/a.ts'], true],
    [['src/a.ts'], ['src/'], true],
    [['src/'], ['srcs/a.ts'], false],
    [['src/*.ts'], ['src/a.js'], true],
    [['src/**'], ['test/'], false],
    [['*.md'], ['docs/a.md'], true],
    [['src/a/'], ['src/b/'], false],
    [['docs/', 'src/x.ts'], ['lib/', 'src/x.ts'], true],
    [[], ['src/'], false],
  ])('%j and %j: %s', (left, right, meet) => {
    expect(pathsOverlap(left, right)).toBe(meet);
    expect(pathsOverlap(right, left)).toBe(meet);
  });
});
