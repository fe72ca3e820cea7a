import { describe, expect, test } from 'vitest';
import { digestValue } from '../../../src/domain/digest.ts';
import type { ComputationOutcome } from '../../../src/domain/outcome.ts';
import type { ResultReport } from '../../../src/domain/report.ts';
import type { State, TaskState } from '../../../src/domain/state.ts';
import { record } from '../../../src/supervisor/record.ts';
import {
  at,
  attemptOf,
  candidateOf,
  flat,
  issueOf,
  memberOf,
  offeredBuild,
  oid,
  snapshotOf,
  taskIn,
  taskOf,
  verdictOf,
} from '../../support/snapshots.ts';

const issue = issueOf(1);
const candidate = candidateOf(issue);
const now = at(60);
const running = (over: Partial<TaskState> = {}) =>
  taskOf(issue, { phase: 'running', generation: 1, attempt: attemptOf(issue, 1, { runId: 50 }), ...over });
const members = [memberOf(1, candidate.oid), memberOf(9, oid('p'), { kind: 'pull' })];
const stateOf = (task: TaskState, withBuild = false): State =>
  snapshotOf({
    tasks: [task],
    ...(withBuild ? { members: [...members, memberOf(4, oid('z'))], build: offeredBuild(members) } : {}),
  }).state;
const recorded = (outcome: ComputationOutcome, task = running(), withBuild = false) =>
  record(stateOf(task, withBuild), [outcome], now);
const entry = { issue: 1, attempt: '1.1', artifactId: 61, sequence: 1 } as const;

describe('a hand-over', () => {
  const accepted = {
    kind: 'handover-accepted',
    issue: 1,
    artifactId: 61,
    sequence: 1,
    candidate,
    moves: [],
  } as const;

  test('that was accepted becomes the candidate; what was said of the one before is void', () => {
    const before = running({
      verdict: verdictOf('fail'),
      refused: { commit: oid('r'), findings: [] },
      facts: { planDigest: digestValue('p'), try: 1, dispatchedAt: null, runId: null, state: 'wanted' },
    });
    expect(taskIn({ state: recorded(accepted, before) })).toMatchObject({
      candidate,
      verdict: null,
      facts: null,
      refused: null,
      attempt: { lastSequence: 1 },
      handovers: [{ artifactId: 61, attempt: '1.1', result: 'accepted', tree: candidate.tree }],
    });
  });

  test('that was refused keeps the candidate and stands beside it', () => {
    const outcome = {
      kind: 'handover-refused',
      ...entry,
      tree: oid('t'),
      commit: oid('r'),
      findings: [],
      moves: [],
    } as const;
    expect(taskIn({ state: recorded(outcome, running({ candidate })) })).toMatchObject({
      candidate,
      refused: { commit: oid('r') },
      refusedTrees: 1,
      attempt: { lastSequence: 1 },
    });
  });

  test('back at the candidate’s tree takes the refusal away; at another tree it stays', () => {
    const task = running({ candidate, refused: { commit: oid('r'), findings: [] } });
    const unchanged = (tree: string) =>
      taskIn({ state: recorded({ kind: 'handover-unchanged', ...entry, tree }, task) });
    expect(unchanged(candidate.tree)).toMatchObject({ refused: null, candidate });
    expect(unchanged(oid('trunk-tree')).refused).not.toBeNull();
  });

  test('that cannot be read counts as read, with its reason', () => {
    const outcome = { kind: 'handover-unreadable', ...entry, reason: 'bundle.too-large' } as const;
    expect(taskIn({ state: recorded(outcome) })).toMatchObject({
      candidate: null,
      attempt: { lastSequence: 1 },
      handovers: [{ result: 'unreadable', refused: 'bundle.too-large', tree: null }],
    });
  });

  test('of a task that is not there changes nothing', () => {
    const state = stateOf(running());
    expect(record(state, [{ ...accepted, issue: 77 }], now)).toEqual(state);
  });
});

describe('a report', () => {
  const report: ResultReport = {
    version: 1,
    attempt: '1.1',
    contractDigest: digestValue('contract'),
    status: 'ready',
    outcome: { class: 'success', reason: 'done' },
    exitCode: 0,
    startedAt: '2026-01-01T00:00:00.000Z',
    endedAt: '2026-01-01T00:01:00.000Z',
    base: oid('trunk'),
    tree: candidate.tree,
    lastSequence: 1,
    changedFiles: [],
    checks: [],
    violations: [],
    overlaps: null,
    unfinished: [],
    proposedCommit: null,
    tries: 2,
    usage: { microUsd: 40, estimated: false, inputTokens: 1, outputTokens: 1, turns: 1 },
    agent: { version: null, model: null },
    isolation: { enforced: 'none', detail: '' },
    cleanup: { killed: 0 },
    claim: { summary: 'Closes #1. /ccd queue', changedFiles: null, unfinished: null, subject: null },
  };
  const read = (over: Partial<ResultReport> = {}, attempt = '1.1') =>
    ({ kind: 'report-read', issue: 1, attempt, artifactId: 62, report: { ...report, ...over } }) as const;

  test('of an attempt that was ended before costs what it cost, and moves nothing', () => {
    const old = { attempt: '1.1', runId: 50, startedAt: null, endedAt: at(8), outcome: null, verdict: null };
    const records = [{ ...old, microUsd: null, tries: 0 }];
    const spent = { microUsd: 10, tries: 1, generations: 2, queueEntries: 0 };
    const before = running({ spent, records });
    const late = {
      kind: 'late-report',
      issue: 1,
      attempt: '1.1',
      artifactId: 62,
      microUsd: 40,
      tries: 2,
    } as const;
    const task = taskIn({ state: recorded(late, before) });
    expect(task).toMatchObject({
      spent: { microUsd: 50, tries: 3 },
      records: [{ attempt: '1.1', microUsd: 40, tries: 2 }],
      handovers: [{ artifactId: 62, sequence: 0, result: 'stale_generation' }],
    });
    expect(task.attempt?.report ?? null).toBeNull();
  });

  test('is kept as words and numbers, and its cost is added up', () => {
    const spent = { microUsd: 10, tries: 1, generations: 1, queueEntries: 0 };
    const state = recorded(read(), running({ spent }));
    expect(taskIn({ state })).toMatchObject({
      attempt: {
        report: { status: 'ready', outcome: { class: 'success', reason: 'done' } },
        microUsd: 40,
        tries: 2,
      },
      spent: { microUsd: 50, tries: 3, generations: 1 },
      handovers: [{ artifactId: 62, sequence: 0, result: 'report' }],
    });
    expect(flat(state)).not.toContain('Closes');
  });

  test('without metering costs null, not zero', () => {
    const usage = { ...report.usage, microUsd: null };
    expect(taskIn({ state: recorded(read({ usage })) }).attempt?.microUsd).toBeNull();
  });

  test('of another attempt moves neither report nor money', () => {
    const task = taskIn({ state: recorded(read({}, '1.7')) });
    expect(task.attempt?.report).toBeNull();
    expect(task.spent.microUsd).toBe(0);
  });

  test('that is invalid is noted as read', () => {
    const outcome = {
      kind: 'report-invalid',
      issue: 1,
      attempt: '1.1',
      artifactId: 62,
      reason: 'report-malformed',
    } as const;
    expect(taskIn({ state: recorded(outcome) })).toMatchObject({
      attempt: { report: null, lastSequence: 0 },
      handovers: [{ artifactId: 62, result: 'report-invalid', refused: 'report-malformed' }],
    });
  });
});

describe('judging', () => {
  test('records the verdict, or the facts that it needs', () => {
    const verdict = verdictOf('pass');
    expect(taskIn({ state: recorded({ kind: 'candidate-judged', issue: 1, verdict }) }).verdict).toEqual(
      verdict,
    );
    const planDigest = digestValue('plan');
    expect(
      taskIn({ state: recorded({ kind: 'candidate-needs-facts', issue: 1, planDigest }) }).facts,
    ).toEqual({
      planDigest,
      try: 1,
      dispatchedAt: null,
      runId: null,
      state: 'wanted',
    });
  });

  test('takes a refused tree up as the candidate, or leaves it to a person', () => {
    const task = running({ phase: 'guarding', refused: { commit: oid('r'), findings: [] } });
    expect(
      taskIn({ state: recorded({ kind: 'refused-published', issue: 1, candidate, moves: [] }, task) }),
    ).toMatchObject({
      candidate,
      refused: null,
      phase: 'guarding',
    });
    expect(taskIn({ state: recorded({ kind: 'refused-stands', issue: 1 }, task) })).toMatchObject({
      phase: 'held',
      reason: { code: 'tree-refused' },
    });
  });
});

describe('a build', () => {
  const queued = running({ phase: 'queued', candidate });
  const built = (outcome: ComputationOutcome) => recorded(outcome, queued, true);

  test('that was composed is offered', () => {
    const state = built({
      kind: 'build-composed',
      number: 1,
      commit: oid('b2'),
      tree: oid('t2'),
      stateCommit: oid('s2'),
      moves: [],
    });
    expect(state.queue.build).toMatchObject({
      commit: oid('b2'),
      tree: oid('t2'),
      stateCommit: oid('s2'),
      pushedAt: now,
    });
  });

  test('keeps its verdict and the facts that it needs', () => {
    expect(
      built({ kind: 'build-judged', number: 1, verdict: verdictOf('pass') }).queue.build?.verdict?.verdict,
    ).toBe('pass');
    const planDigest = digestValue('plan');
    expect(built({ kind: 'build-needs-facts', number: 1, planDigest }).queue.build?.facts).toMatchObject({
      planDigest,
      try: 1,
    });
  });

  test('that landed takes all its members with it, and only these', () => {
    const state = built({ kind: 'landed', number: 1, commit: oid('build'), moves: [] });
    expect(taskIn({ state })).toMatchObject({
      phase: 'landed',
      landed: { build: 1, commit: oid('build'), at: now },
    });
    expect(state.queue.build).toBeNull();
    expect(state.queue.members.map((member) => member.number)).toEqual([4]);
    expect(state.builds.get('1.1')).toMatchObject({ outcome: 'landed', members, endedAt: now });
  });

  test('that does not merge gives its task to the next generation, from the same change', () => {
    const state = built({ kind: 'build-conflict', number: 1, candidate: candidate.oid, empty: false });
    expect(taskIn({ state })).toMatchObject({
      phase: 'ready',
      reason: { code: 'merge-conflict', of: 1 },
      carry: { candidate: candidate.oid, base: candidate.base },
    });
    expect(state.queue).toMatchObject({ build: null, members: [{ number: 4 }] });
  });

  test('with a person’s pull request that did not make it owes its author a word', () => {
    const person = memberOf(9, oid('person'), { kind: 'pull', pull: 9 });
    const state = { ...stateOf(queued, true) };
    const build = { ...state.queue.build!, members: [person] };
    const alone = { ...state, queue: { ...state.queue, members: [person], build } };
    const outcome = { kind: 'build-conflict', number: 1, candidate: person.candidate, empty: false } as const;
    const after = record(alone, [outcome], now);
    expect(after.queue.members).toEqual([]);
    expect(after.repository.answers).toMatchObject([{ number: 9, code: 'back.merge-conflict' }]);
  });

  test('that changes nothing is a person’s', () => {
    const state = built({ kind: 'build-conflict', number: 1, candidate: candidate.oid, empty: true });
    expect(taskIn({ state })).toMatchObject({ phase: 'held', reason: { code: 'empty-change', of: 1 } });
  });

  test.each([
    ['rebuild', 'queued', null, 'rebuilt', 3],
    ['hold', 'held', 'surplus-change', 'failed', 1],
    ['review', 'reviewing', 'surplus-change', 'failed', 1],
  ] as const)('whose landing was refused with %s: the task is %s', (next, phase, code, outcome, left) => {
    const state = built({ kind: 'landing-refused', number: 1, reason: 'surplus-change', of: null, next });
    const task = taskIn({ state });
    expect([task.phase, task.reason?.code ?? null]).toEqual([phase, code]);
    expect(state.builds.get('1.1')).toMatchObject({ outcome, reason: { code: 'surplus-change', of: 1 } });
    expect(state.queue.members).toHaveLength(left);
    expect(state.queue.build).toBeNull();
  });

  test('whose landing has to wait stays as it is', () => {
    const state = stateOf(queued, true);
    const outcome = {
      kind: 'landing-refused',
      number: 1,
      reason: 'no-verdict',
      of: null,
      next: 'wait',
    } as const;
    expect(record(state, [outcome], now)).toEqual(state);
  });

  test('with another number is not touched, whatever is said of it', () => {
    const state = stateOf(queued, true);
    const outcomes: ComputationOutcome[] = [
      { kind: 'landed', number: 2, commit: oid('x'), moves: [] },
      { kind: 'build-judged', number: 2, verdict: verdictOf('pass') },
      { kind: 'build-conflict', number: 2, candidate: oid('x'), empty: false },
      { kind: 'refs-moved', moves: [] },
    ];
    expect(record(state, outcomes, now)).toEqual(state);
  });
});
