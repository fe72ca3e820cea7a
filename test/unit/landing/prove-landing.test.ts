import { describe, expect, test } from 'vitest';
import type { ObservedReview } from '../../../src/domain/snapshot.ts';
import { type FreshMember, type FreshRead, proveLanding } from '../../../src/landing/prove-landing.ts';
import { mustBeApproved } from '../../../src/landing/review-word.ts';
import {
  at,
  candidateOf,
  issueOf,
  memberOf,
  offeredBuild,
  oid,
  person,
  pullOf,
  taskOf,
  verdictOf,
} from '../../support/snapshots.ts';

const issue = issueOf(1);
const candidate = candidateOf(issue);
const member = memberOf(1, candidate.oid, { pull: 9 });
const ofTask: FreshMember = {
  member,
  pull: pullOf(9, { head: candidate.oid, draft: false }),
  issue,
  task: taskOf(issue, { phase: 'queued', generation: 1, candidate, verdict: verdictOf('pass') }),
  needsReview: false,
};
const ofPerson: FreshMember = {
  member: memberOf(12, oid('person'), { kind: 'pull', pull: 12 }),
  pull: pullOf(12, { head: oid('person'), draft: false }),
  issue: null,
  task: null,
  needsReview: false,
};
const build = offeredBuild([member], { verdict: verdictOf('pass') });
const green: FreshRead = {
  build,
  trunk: oid('trunk'),
  trunkBranch: 'main',
  queueRef: oid('build'),
  recomposed: oid('build'),
  surplus: [],
  silentReverts: [],
  checks: { kind: 'success' },
  landingCheckAgrees: true,
  members: [ofTask, ofPerson],
};
const refusal = (over: Partial<FreshRead>) => {
  const decision = proveLanding({ ...green, ...over });
  return decision.kind === 'proven' ? 'proven' : `${decision.reason} ${decision.next} ${decision.of ?? '-'}`;
};

test('a build that all fresh reads agree on is proven, from its base to its commit', () => {
  expect(proveLanding(green)).toMatchObject({
    kind: 'proven',
    proof: { base: oid('trunk'), commit: oid('build'), build },
  });
});

describe('a build is refused', () => {
  test.each([
    ['when trunk moved', { trunk: oid('moved') }, 'trunk-moved rebuild -'],
    ['when its queue ref is gone', { queueRef: null }, 'queue-ref-differs rebuild -'],
    ['when its queue ref moved', { queueRef: oid('x') }, 'queue-ref-differs rebuild -'],
    [
      'when it was never composed',
      { build: { ...build, commit: null }, queueRef: null },
      'queue-ref-differs rebuild -',
    ],
    ['when it cannot be made again', { recomposed: null }, 'build-not-reproduced hold -'],
    ['when made again it is another', { recomposed: oid('x') }, 'build-not-reproduced hold -'],
    ['for a change that no member made', { surplus: ['a'] }, 'surplus-change hold -'],
    ['for a silent revert', { silentReverts: ['a'] }, 'silent-revert hold -'],
    ['without a verdict', { build: { ...build, verdict: null } }, 'no-verdict wait -'],
    ['with a verdict of fail', { build: { ...build, verdict: verdictOf('fail') } }, 'no-verdict wait -'],
    [
      'when nobody could judge',
      { build: { ...build, verdict: verdictOf('could-not-judge') } },
      'no-verdict wait -',
    ],
    ['when its landing check does not agree', { landingCheckAgrees: false }, 'no-verdict wait -'],
    [
      'while a check is waited for',
      { checks: { kind: 'waiting', names: ['ci'], started: true } },
      'checks-not-green wait -',
    ],
    [
      'when a check failed',
      { checks: { kind: 'failed', name: 'ci', checkId: 1 } },
      'checks-not-green wait -',
    ],
    [
      'when a check was cut off',
      { checks: { kind: 'interrupted', name: 'ci', checkId: 1 } },
      'checks-not-green wait -',
    ],
  ] as [string, Partial<FreshRead>, string][])('%s', (_when, over, expected) => {
    expect(refusal(over)).toBe(expected);
  });
});

test('a spec that cannot be read lands with an approval only', () => {
  expect(mustBeApproved({ kind: 'invalid' })).toBe(true);
  expect(mustBeApproved({ kind: 'valid', spec: { profiles: ['localized', 'judgment-heavy'] } })).toBe(true);
  expect(mustBeApproved({ kind: 'valid', spec: { profiles: ['mechanical', 'localized'] } })).toBe(false);
});

describe('what could not be read blames nobody', () => {
  test.each([
    ['pull request', { pull: null }, 'pull-unread wait 1'],
    ['issue', { issue: null }, 'issue-unread wait 1'],
  ] as const)('a %s', (_what, over, expected) => {
    expect(refusal({ members: [{ ...ofTask, ...over }] })).toBe(expected);
  });
});

describe('an approval', () => {
  const review = (over: Partial<ObservedReview>): ObservedReview => ({
    id: 1,
    actor: person(8),
    state: 'approved',
    commit: candidate.oid,
    at: at(4),
    ...over,
  });
  const landing = (...reviews: ObservedReview[]) =>
    refusal({ members: [{ ...ofTask, needsReview: true, pull: { ...ofTask.pull!, reviews } }] });

  test('of this very commit is asked for once more, where the profile asks for one', () => {
    expect(landing(review({}))).toBe('proven');
    expect(landing()).toBe('approval-withdrawn review 1');
    expect(landing(review({ commit: oid('older') }))).toBe('approval-withdrawn review 1');
    expect(landing(review({ actor: person(8, false) }))).toBe('approval-withdrawn review 1');
    expect(refusal({ members: [ofTask] })).toBe('proven');
  });

  test('that was taken back, or outweighed by another person, is none', () => {
    expect(landing(review({}), review({ id: 2, state: 'changes_requested' }))).toBe(
      'approval-withdrawn review 1',
    );
    expect(landing(review({}), review({ id: 2, state: 'dismissed' }))).toBe('approval-withdrawn review 1');
    const other = review({ id: 2, actor: person(9), state: 'changes_requested' });
    expect(landing(other, review({}))).toBe('approval-withdrawn review 1');
    expect(landing(review({}), review({ id: 2, state: 'commented' }))).toBe('proven');
  });
});

describe('a member holds its build', () => {
  const pull = ofTask.pull!;
  const task = ofTask.task!;

  test.each([
    ['with a closed one', { pull: { ...pull, open: false } }, 'pull-closed'],
    ['with another head', { pull: { ...pull, head: oid('later') } }, 'head-moved'],
    ['with another base', { pull: { ...pull, base: 'release' } }, 'pull-retargeted'],
    ['with a draft', { pull: { ...pull, draft: true } }, 'pull-is-draft'],
    ['with a closed issue', { issue: { ...issue, open: false } }, 'issue-closed'],
    ['without its task', { task: null }, 'spec-edited'],
    ['with an edited spec', { issue: issueOf(1, { title: 'Edited' }) }, 'spec-edited'],
    [
      'with another candidate in state',
      { task: { ...task, candidate: candidateOf(issue, 2) } },
      'candidate-not-proven',
    ],
    [
      'with a candidate that failed',
      { task: { ...task, verdict: verdictOf('fail') } },
      'candidate-not-proven',
    ],
    ['with a candidate that was not judged', { task: { ...task, verdict: null } }, 'candidate-not-proven'],
  ] as [string, Partial<FreshMember>, string][])('%s', (_with, over, reason) => {
    expect(refusal({ members: [ofPerson, { ...ofTask, ...over }] })).toBe(`${reason} hold 1`);
  });

  test('of a person, by its pull request alone', () => {
    const draft = { ...ofPerson, pull: { ...ofPerson.pull!, draft: true } };
    expect(refusal({ members: [ofTask, draft] })).toBe('pull-is-draft hold 12');
    expect(refusal({ members: [ofPerson] })).toBe('proven');
  });
});
