import { describe, expect, test } from 'vitest';
import { digestValue } from '../../../src/domain/digest.ts';
import type { ObservedCheck } from '../../../src/domain/snapshot.ts';
import type { BuildState, TaskState } from '../../../src/domain/state.ts';
import {
  appId,
  at,
  buildOf,
  candidateOf,
  checkOf,
  decideIn,
  effectsOf,
  endedAttempt,
  issueOf,
  memberOf,
  offeredBuild,
  oid,
  policyOf,
  pullOf,
  taskIn,
  taskOf,
  verdictOf,
  type World,
} from '../../support/snapshots.ts';

const issue = issueOf(1);
const candidate = candidateOf(issue);
const member = memberOf(1, candidate.oid, { pull: 9 });
const build = oid('build');
const queued = (over: Partial<TaskState> = {}) =>
  taskOf(issue, {
    phase: 'queued',
    generation: 1,
    attempt: endedAttempt(issue),
    candidate,
    verdict: verdictOf('pass'),
    pull: { number: 9, id: 9 },
    spent: { microUsd: 0, tries: 0, generations: 1, queueEntries: 1 },
    ...over,
  });
const pull = pullOf(9, { head: candidate.oid, draft: false });
const decided = (world: World = {}, task: Partial<TaskState> = {}, policy = policyOf()) =>
  decideIn({ issues: [issue], tasks: [queued(task)], pulls: [pull], members: [member], ...world }, policy);

describe('joining the queue', () => {
  const empty = { members: [], build: buildOf([memberOf(5, oid('x'))]) };

  test('once, with the candidate that was proven', () => {
    const decision = decided({ members: [] });
    expect(decision.state.queue.members).toMatchObject([
      { kind: 'task', number: 1, candidate: candidate.oid, keyDigest: digestValue('key'), pull: 9 },
    ]);
    expect(taskIn(decision).spent.queueEntries).toBe(2);
    expect(taskIn(decided()).spent.queueEntries).toBe(1);
  });

  test('only when the pull request shows that very commit', () => {
    const stale = decided({ members: [], pulls: [{ ...pull, head: oid('older') }] });
    expect(stale.state.queue.members).toEqual([]);
    expect(taskIn(stale)).toMatchObject({ phase: 'queued', reason: { code: 'pull-behind', of: 9 } });
    const shown = decided({ members: [] }, { reason: { code: 'pull-behind', of: 9 } });
    expect(taskIn(shown).reason).toBeNull();
    expect(decided({ members: [], pulls: [] }).state.queue.members).toEqual([]);
  });

  test('as often as policy allows, then a person decides', () => {
    const spent = { microUsd: 0, tries: 0, generations: 1, queueEntries: 5 };
    expect(taskIn(decided(empty, { spent }))).toMatchObject({
      phase: 'held',
      reason: { code: 'queue-entries-used-up', of: 5 },
    });
  });
});

describe('a build', () => {
  test('is recorded by one pass and composed by the next', () => {
    const started = decided();
    expect(started.state.queue.build).toMatchObject({
      number: 1,
      try: 1,
      base: oid('trunk'),
      members: [member],
      commit: null,
    });
    expect(started.state.repository.nextBuild).toBe(2);
    expect(started.computations).toEqual([]);
    const next = decided({ build: started.state.queue.build, repository: { nextBuild: 2 } });
    expect(next.computations).toEqual([{ kind: 'compose-build', number: 1, try: 1 }]);
    expect(next.state.repository.nextBuild).toBe(2);
  });

  test.each([
    { pause: { by: 'person', code: 'paused-by-command', at: at(1) } as const },
    { frozen: true },
    { ready: false },
  ])('is not started while %j', (repository) => {
    expect(decided({ repository }).state.queue.build).toBeNull();
  });

  test('is not started without a required check: nothing could be proven', () => {
    const decision = decided({}, {}, policyOf({ required_checks: [] }));
    expect(decision.state.queue).toMatchObject({ build: null, members: [] });
    expect(taskIn(decision)).toMatchObject({ phase: 'held', reason: { code: 'no-required-checks' } });
  });

  test('on a trunk that moved is dissolved; nobody is blamed and the member stays', () => {
    const decision = decided({
      trunk: 'moved',
      build: offeredBuild([member]),
      refs: { 'refs/heads/ccd/queue/1': build },
    });
    expect(decision.state.queue).toMatchObject({ build: null, members: [member] });
    expect(taskIn(decision)).toMatchObject({ phase: 'queued', spent: { queueEntries: 1 } });
    expect(decision.state.builds.get('1.1')).toMatchObject({
      outcome: 'rebuilt',
      reason: { code: 'trunk-moved', of: 1 },
    });
    expect(decision.computations).toEqual([
      {
        kind: 'move-refs',
        moves: [{ ref: 'refs/heads/ccd/queue/1', expected: build, next: '0'.repeat(40) }],
      },
    ]);
  });

  test('whose member left is dissolved', () => {
    const decision = decided(
      { members: [], build: offeredBuild([member]) },
      { phase: 'held', settled: true },
    );
    expect(decision.state.queue.build).toBeNull();
    expect(decision.state.builds.get('1.1')).toMatchObject({ outcome: 'dissolved' });
  });

  test('whose member has another candidate now is dissolved', () => {
    const other = { ...candidate, oid: oid('newer') };
    const decision = decided(
      { members: [{ ...member, candidate: other.oid }], build: offeredBuild([member]), pulls: [] },
      { candidate: other },
    );
    expect(decision.state.builds.get('1.1')?.outcome).toBe('dissolved');
  });
});

describe('a leftover queue ref', () => {
  const refs = { 'refs/heads/ccd/queue/3': oid('left'), 'refs/heads/ccd/queue/1': build };

  test('is swept away, the standing build’s is not', () => {
    const decision = decided({ build: offeredBuild([member], { verdict: verdictOf('pass') }), refs });
    expect(decision.computations).toEqual([
      {
        kind: 'move-refs',
        moves: [{ ref: 'refs/heads/ccd/queue/3', expected: oid('left'), next: '0'.repeat(40) }],
      },
    ]);
  });

  test('is left alone before the repository is ready: its first build is made by init', () => {
    expect(decided({ repository: { ready: false }, refs }).computations).toEqual([]);
  });
});

const landing = (over: Partial<ObservedCheck> = {}) =>
  checkOf(build, {
    id: 301,
    name: 'ccd / landing',
    appId,
    externalId: digestValue('key'),
    run: null,
    ...over,
  });
const offered = (checks: ObservedCheck[], over: Partial<BuildState> = {}, world: World = {}) =>
  decided({
    build: offeredBuild([member], { verdict: verdictOf('pass'), ...over }),
    refs: { 'refs/heads/ccd/queue/1': build },
    checks: [[build, checks]],
    repository: { nextBuild: 2 },
    ...world,
  });

describe('an offered build', () => {
  test('is judged before anything else; then its facts are followed', () => {
    expect(offered([], { verdict: null }).computations).toEqual([
      { kind: 'judge-build', number: 1, try: 1, factsArtifact: null, factsMissing: false },
    ]);
    const facts = {
      planDigest: digestValue('plan'),
      try: 1,
      dispatchedAt: null,
      runId: null,
      state: 'wanted' as const,
    };
    expect(effectsOf(offered([], { verdict: null, facts }), 'dispatch-facts')).toMatchObject([
      { of: { kind: 'build', number: 1 } },
    ]);
  });

  test('waits for its checks with a deadline, then is tried again as another commit', () => {
    const early = offered([], {}, { seconds: 9 });
    expect(early.wakeAt).toBe(Date.parse(at(8 + 10 * 60)));
    expect(offered([checkOf(build, { status: 'queued', conclusion: null })]).wakeAt).toBe(
      Date.parse(at(8 + 60 * 60)),
    );
    const late = offered([], {}, { seconds: 8 + 10 * 60 });
    expect(late.state.queue.build).toMatchObject({
      number: 1,
      try: 2,
      madeAt: '2026-03-01T10:10:08.000Z',
      commit: null,
      stateCommit: null,
      verdict: null,
    });
  });

  test('that no gate took up at its last try is handed back to a person', () => {
    const late = offered([], { try: 2 }, { seconds: 8 + 10 * 60 });
    expect(taskIn(late)).toMatchObject({ phase: 'held', reason: { code: 'no-gate-started', of: 1 } });
    expect(late.state.queue).toMatchObject({ members: [], build: null });
  });

  test('with green checks shows its verdict before it lands', () => {
    const shown = offered([checkOf(build)]);
    expect(effectsOf(shown, 'put-landing-check')).toEqual([
      {
        kind: 'put-landing-check',
        build: 1,
        commit: build,
        checkId: null,
        keyDigest: digestValue('key'),
      },
    ]);
    expect(shown.state.repository.intents['landing-check.1.1']).toMatchObject({ tries: 1 });
    expect(shown.computations).toEqual([]);
    expect(offered([checkOf(build), landing()]).computations).toEqual([{ kind: 'land', number: 1, try: 1 }]);
  });

  test.each([
    ['by another app', { appId: 15368 }],
    ['with another key', { externalId: digestValue('other') }],
    ['that failed', { conclusion: 'failure' }],
  ] as [string, Partial<ObservedCheck>][])('does not land by a landing check %s', (_what, over) => {
    const decision = offered([checkOf(build), landing(over)]);
    expect(decision.computations).toEqual([]);
    expect(effectsOf(decision, 'put-landing-check')).toHaveLength(1);
  });

  test('does not land while paused or frozen', () => {
    const pause = { by: 'person', code: 'paused-by-command', at: at(1) } as const;
    const checks = [checkOf(build), landing()];
    expect(offered(checks, {}, { repository: { pause } }).computations).toEqual([]);
    expect(offered(checks, {}, { repository: { frozen: true } }).computations).toEqual([]);
  });

  test('with a failed check goes back to its author’s next generation', () => {
    const decision = offered([checkOf(build, { conclusion: 'failure' })]);
    expect(taskIn(decision)).toMatchObject({ phase: 'running', generation: 2 });
    expect(taskIn(decision).carry?.candidate).toBe(candidate.oid);
    expect(decision.state.builds.get('1.1')).toMatchObject({
      outcome: 'failed',
      reason: { code: 'check-failed', of: 1 },
    });
    expect(decision.state.queue).toMatchObject({ members: [], build: null });
  });

  test.each(['cancelled', 'skipped', 'neutral', 'timed_out', 'action_required', 'stale'])(
    'with a check that is %s is no success: tried again, then a person’s',
    (conclusion) => {
      const checks = [checkOf(build, { conclusion }), landing()];
      expect(offered(checks).state.queue.build).toMatchObject({ try: 2, commit: null });
      expect(taskIn(offered(checks, { try: 2 }))).toMatchObject({
        phase: 'held',
        reason: { code: 'check-interrupted' },
      });
    },
  );

  test('that the guard refused goes to the next generation', () => {
    const decision = offered([checkOf(build)], { verdict: verdictOf('fail') });
    expect(taskIn(decision)).toMatchObject({ phase: 'running', generation: 2 });
    expect(decision.state.builds.get('1.1')?.reason).toEqual({ code: 'build-refused', of: 1 });
  });

  test('that could not be judged gets its facts again, then is a person’s', () => {
    const facts = {
      planDigest: digestValue('plan'),
      try: 1,
      dispatchedAt: at(9),
      runId: 81,
      state: 'missing' as const,
    };
    const verdict = verdictOf('could-not-judge');
    expect(offered([], { verdict, facts }).state.queue.build).toMatchObject({
      verdict: null,
      facts: { try: 2, state: 'wanted' },
    });
    expect(taskIn(offered([], { verdict: { ...verdict, try: 3 }, facts }))).toMatchObject({
      phase: 'held',
      reason: { code: 'could-not-judge', of: 1 },
    });
  });

  test('a person’s pull request that is handed back leaves the queue and is told why', () => {
    const people = memberOf(9, oid('person'), { kind: 'pull', pull: 9, requestedBy: 3 });
    const decision = decideIn({
      members: [people],
      build: offeredBuild([people], { verdict: verdictOf('pass') }),
      checks: [[build, [checkOf(build, { conclusion: 'failure' })]]],
    });
    expect(decision.state.queue).toMatchObject({ members: [], build: null });
    expect(decision.state.tasks.size).toBe(0);
    const [notice] = effectsOf(decision, 'reply');
    expect(notice).toMatchObject({ number: 9, to: `back-9-1-${oid('person').slice(0, 12)}` });
    expect(notice?.body).toContain('A required check failed on build 1.');
    expect(notice?.body).toContain(`/ccd queue ${oid('person')}`);
  });
});
