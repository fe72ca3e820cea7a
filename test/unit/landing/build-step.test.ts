import { describe, expect, test } from 'vitest';
import { type BuildView, decideBuildStep } from '../../../src/landing/build-step.ts';
import { at, buildOf, offeredBuild, oid, policyOf, startMs, verdictOf } from '../../support/snapshots.ts';

const offered = offeredBuild([], { verdict: verdictOf('pass') });
const view: BuildView = {
  build: offered,
  trunk: oid('trunk'),
  membersStand: true,
  recorded: true,
  checks: { kind: 'success' },
  landingCheck: 'agrees',
  now: startMs + 9_000,
};
const step = (over: Partial<BuildView>, policy = policyOf()) => decideBuildStep({ ...view, ...over }, policy);
const waiting = (started: boolean) => ({ kind: 'waiting', names: ['ci'], started }) as const;

test('a green build on the trunk of now lands', () => {
  expect(step({})).toEqual({ kind: 'land' });
});

describe('whatever else is true', () => {
  const red = { kind: 'failed', name: 'ci', checkId: 1 } as const;

  test('a moved trunk dissolves the build and blames nobody', () => {
    expect(step({ trunk: oid('x'), checks: red })).toEqual({ kind: 'dissolve', why: 'trunk-moved' });
  });

  test('a member that left dissolves it', () => {
    expect(step({ membersStand: false, checks: red })).toEqual({ kind: 'dissolve', why: 'member-left' });
  });

  test('a failed check hands back before anything is judged', () => {
    expect(step({ build: { ...offered, verdict: null }, checks: red })).toEqual({
      kind: 'hand-back',
      why: 'check-failed',
      blame: 'candidate',
    });
  });
});

test('a build is composed only after its record was pushed', () => {
  expect(step({ build: buildOf([]), recorded: false })).toEqual({ kind: 'wait', until: null });
  expect(step({ build: buildOf([]) })).toEqual({ kind: 'compose' });
});

test('judging comes before waiting; its verdict is shown before landing', () => {
  expect(step({ build: { ...offered, verdict: null }, checks: waiting(false) })).toEqual({ kind: 'judge' });
  expect(step({ landingCheck: 'absent' })).toEqual({ kind: 'show-verdict' });
  expect(step({ landingCheck: 'differs' })).toEqual({ kind: 'show-verdict' });
});

test('a refusal is the candidate’s, what nobody could judge is not', () => {
  expect(step({ build: { ...offered, verdict: verdictOf('fail') } })).toMatchObject({
    kind: 'hand-back',
    blame: 'candidate',
  });
  expect(step({ build: { ...offered, verdict: verdictOf('could-not-judge') } })).toEqual({
    kind: 'hand-back',
    why: 'could-not-judge',
    blame: 'nobody',
  });
});

describe('every wait has a deadline', () => {
  const pushed = Date.parse(at(8));

  test.each([
    [false, 10, 'no-gate-started'],
    [true, 60, 'checks-late'],
  ])('checks started: %s, %d minutes', (started, minutes, why) => {
    const deadline = pushed + minutes * 60_000;
    expect(step({ checks: waiting(started), now: deadline - 1 })).toEqual({ kind: 'wait', until: deadline });
    expect(step({ checks: waiting(started), now: deadline })).toEqual({ kind: 'retry', why });
    expect(step({ checks: waiting(started), now: deadline, build: { ...offered, try: 2 } })).toEqual({
      kind: 'hand-back',
      why,
      blame: 'nobody',
    });
  });

  test('an interrupted check is tried again as often as policy says', () => {
    const checks = { kind: 'interrupted', name: 'ci', checkId: 1 } as const;
    expect(step({ checks })).toEqual({ kind: 'retry', why: 'check-interrupted' });
    expect(step({ checks }, policyOf({ landing: { tries: 1 } }))).toMatchObject({ blame: 'nobody' });
  });
});
