import { describe, expect, test } from 'vitest';
import { digestValue } from '../../../src/domain/digest.ts';
import type { Phase, TaskState } from '../../../src/domain/state.ts';
import {
  appId,
  at,
  candidateOf,
  checkOf,
  decideIn,
  effectsOf,
  endedAttempt,
  issueOf,
  oid,
  person,
  pullOf,
  taskIn,
  taskOf,
  verdictOf,
  type World,
} from '../../support/snapshots.ts';

const issue = issueOf(1);
const candidate = candidateOf(issue);
const branch = { 'refs/heads/ccd/task/1': candidate.oid };
const working = (over: Partial<TaskState> = {}) =>
  taskOf(issue, {
    phase: 'guarding',
    generation: 1,
    attempt: endedAttempt(issue),
    candidate,
    ...over,
  });
const decided = (world: World = {}, over: Partial<TaskState> = {}) =>
  decideIn({ issues: [issue], tasks: [working(over)], ...world });
const intentsOf = (decision: ReturnType<typeof decided>) => decision.state.repository.intents;

describe('the status comment', () => {
  test('is created once, by an intent, and known when it is seen', () => {
    const first = decided();
    expect(effectsOf(first, 'create-status-comment')).toHaveLength(1);
    expect(intentsOf(first)['comment.1']).toMatchObject({ kind: 'create-status-comment' });
    const lost = decided({ repository: { intents: intentsOf(first) } });
    expect(effectsOf(lost, 'create-status-comment')).toEqual([]);
    const body = effectsOf(first, 'create-status-comment')[0]!.body;
    const seen = decided({
      repository: { intents: intentsOf(first) },
      comments: [{ id: 30, number: 1, body }],
    });
    expect(taskIn(seen).statusComment).toBe(30);
    expect(intentsOf(seen)['comment.1']).toBeUndefined();
    expect(effectsOf(seen, 'update-comment')).toEqual([]);
  });

  test('that was deleted is made again', () => {
    const decision = decided({ goneComments: [1] }, { statusComment: 30 });
    expect(effectsOf(decision, 'create-status-comment')).toHaveLength(1);
    expect(taskIn(decision).statusComment).toBeNull();
    expect(intentsOf(decision)['comment.1']).toBeDefined();
  });

  test('is overwritten when it differs, whoever changed it; line ends are no difference', () => {
    const body = effectsOf(decided(), 'create-status-comment')[0]!.body;
    const shown = (text: string) =>
      effectsOf(
        decided({ comments: [{ id: 30, number: 1, body: text }] }, { statusComment: 30 }),
        'update-comment',
      );
    expect(shown('All is well.')).toEqual([{ kind: 'update-comment', issue: 1, commentId: 30, body }]);
    expect(shown(`${body.replace(/\n/g, '\r\n')}  \n`)).toEqual([]);
  });
});

describe('labels', () => {
  const labels = (phase: Phase, standing: string[]) =>
    effectsOf(
      decided(
        { issues: [issueOf(1, { labels: standing, requests: [] })] },
        { phase, attempt: null, candidate: null },
      ),
      'set-labels',
    )[0];

  test('show exactly the phase and leave those of people alone', () => {
    expect(labels('guarding', ['ccd:dispatch', 'ccd:running', 'bug'])).toMatchObject({
      add: ['ccd:guarding'],
      remove: ['ccd:running'],
    });
    expect(labels('guarding', ['ccd:dispatch', 'ccd:guarding', 'bug'])).toBeUndefined();
  });

  test.each(['landed', 'halted', 'held', 'invalid'] as Phase[])('the request is used up when %s', (phase) => {
    expect(labels(phase, ['ccd:dispatch', `ccd:${phase}`])).toMatchObject({
      add: [],
      remove: ['ccd:dispatch'],
    });
  });
});

describe('the pull request', () => {
  test('is created as a draft once the branch shows the candidate', () => {
    expect(effectsOf(decided(), 'create-pull')).toEqual([]);
    expect(
      effectsOf(decided({ refs: { ...branch, 'refs/heads/ccd/task/1': oid('x') } }), 'create-pull'),
    ).toEqual([]);
    const decision = decided({ refs: branch });
    expect(effectsOf(decision, 'create-pull')).toMatchObject([
      { head: 'ccd/task/1', base: 'main', draft: true, issue: 1 },
    ]);
    expect(intentsOf(decision)['pull.1']).toMatchObject({ tries: 1 });
  });

  test('is looked for by its branch before it is created again', () => {
    const found = pullOf(9, { head: candidate.oid, headRef: 'ccd/task/1' });
    const world = { refs: branch, pullsByHead: [[1, found]] as const, pulls: [found] };
    const decision = decided(world);
    expect(effectsOf(decision, 'create-pull')).toEqual([]);
    expect(taskIn(decision).pull).toEqual({ number: 9, id: found.id });
  });

  test.each([
    ['is closed', { open: false }],
    ['goes elsewhere than trunk', { base: 'release' }],
  ])('that %s is not taken for ours', (_what, over) => {
    const found = pullOf(9, { head: candidate.oid, headRef: 'ccd/task/1', ...over });
    expect(taskIn(decided({ refs: branch, pullsByHead: [[1, found]] })).pull).toBeNull();
  });

  test('of somebody else from our branch is closed, and ours opened after it', () => {
    const foreign = pullOf(9, { head: candidate.oid, headRef: 'ccd/task/1', author: person(3) });
    const decision = decided({ refs: branch, pullsByHead: [[1, foreign]] });
    expect(taskIn(decision).pull).toBeNull();
    expect(effectsOf(decision, 'close-pull')).toEqual([{ kind: 'close-pull', issue: 1, pull: 9 }]);
    expect(effectsOf(decision, 'create-pull')).toEqual([]);
    const closed = { ...foreign, open: false };
    expect(effectsOf(decided({ refs: branch, pullsByHead: [[1, closed]] }), 'create-pull')).toHaveLength(1);
  });

  test('is not opened for a task that a person took back, nor for a candidate of an older attempt', () => {
    expect(effectsOf(decided({ refs: branch }, { phase: 'withdrawn' }), 'create-pull')).toEqual([]);
    const older = { attempt: { ...endedAttempt(issue, 2) } };
    expect(effectsOf(decided({ refs: branch }, older), 'create-pull')).toEqual([]);
  });

  test('gets its body back when somebody changed it', () => {
    const pull = { number: 9, id: 9 };
    const created = effectsOf(decided({ refs: branch }), 'create-pull')[0]!;
    const shown = (body: string) =>
      effectsOf(decided({ refs: branch, pulls: [pullOf(9, { body })] }, { pull }), 'update-pull');
    expect(shown('Fixes everything')).toEqual([
      { kind: 'update-pull', issue: 1, pull: 9, body: created.body },
    ]);
    expect(shown(created.body)).toEqual([]);
  });

  test('becomes ready for review when it is queued, not before', () => {
    const pull = { number: 9, id: 9 };
    const ready = (phase: Phase, draft: boolean) =>
      effectsOf(
        decided(
          { refs: branch, pulls: [pullOf(9, { draft, head: candidate.oid })] },
          { phase, pull, verdict: verdictOf('pass') },
        ),
        'mark-ready',
      );
    expect(ready('queued', true)).toMatchObject([{ pull: 9, nodeId: 'PR_9' }]);
    expect(ready('queued', false)).toEqual([]);
    expect(ready('reviewing', true)).toEqual([]);
  });
});

describe('the guard check', () => {
  const put = (world: World, over: Partial<TaskState>) => effectsOf(decided(world, over), 'put-guard-check');
  const verdict = verdictOf('fail', {
    findings: [{ rule: 'R2', class: 'x', fingerprint: digestValue('f') }],
  });
  const halted = { phase: 'halted', verdict } as const;

  test('is put on the candidate, then updated when what it shows differs', () => {
    const [first] = put({}, halted);
    expect(first).toMatchObject({ commit: candidate.oid, checkId: null });
    const shown = { id: 40, commit: candidate.oid, shown: first!.shown };
    expect(put({}, { ...halted, guardCheck: shown })).toEqual([]);
    const other = { ...halted, verdict: { ...verdict, try: 2 }, guardCheck: shown };
    expect(put({}, other)).toMatchObject([{ checkId: 40, commit: candidate.oid }]);
  });

  test('is put, too, when the task landed before it was written', () => {
    const landed = {
      phase: 'landed',
      verdict: verdictOf('pass'),
      landed: { commit: oid('l'), build: 1, at: at(10) },
    } as const;
    expect(put({ issues: [{ ...issue, open: false }] }, landed)).toMatchObject([{ commit: candidate.oid }]);
  });

  test('that was created without an answer is found, not doubled', () => {
    const shown = put({}, halted)[0]!.shown;
    const standing = checkOf(candidate.oid, {
      id: 41,
      name: 'ccd / guard',
      appId,
      externalId: shown,
      run: null,
    });
    const decision = decided({ ownChecks: [[candidate.oid, [standing]]] }, halted);
    expect(effectsOf(decision, 'put-guard-check')).toEqual([]);
    expect(taskIn(decision).guardCheck).toEqual({ id: 41, commit: candidate.oid, shown });
  });

  test('that shows something else, or nothing of ours, is written over', () => {
    for (const externalId of [null, 'x', digestValue('older')]) {
      const standing = checkOf(candidate.oid, { id: 41, name: 'ccd / guard', appId, externalId, run: null });
      expect(put({ ownChecks: [[candidate.oid, [standing]]] }, halted)).toMatchObject([{ checkId: 41 }]);
    }
  });

  test('that stands twice is kept right where GitHub shows it: the newest', () => {
    const shown = put({}, halted)[0]!.shown;
    const ours = { name: 'ccd / guard', appId, run: null };
    const known = checkOf(candidate.oid, { ...ours, id: 41, externalId: shown });
    const late = checkOf(candidate.oid, { ...ours, id: 42, externalId: digestValue('older') });
    const task = { ...halted, guardCheck: { id: 41, commit: candidate.oid, shown } };
    expect(put({ ownChecks: [[candidate.oid, [late, known]]] }, task)).toMatchObject([{ checkId: 42 }]);
    const mended = { ...late, externalId: shown };
    expect(put({ ownChecks: [[candidate.oid, [mended, known]]] }, task)).toEqual([]);
  });

  test('stands on a refused tree before it stands on an older candidate', () => {
    const refused = { commit: oid('r'), findings: [] };
    expect(put({}, { ...halted, refused })).toMatchObject([{ commit: oid('r'), checkId: null }]);
  });

  test('of another commit is not reused', () => {
    const guardCheck = { id: 40, commit: oid('older'), shown: digestValue('x') };
    expect(put({}, { ...halted, guardCheck })).toMatchObject([{ commit: candidate.oid, checkId: null }]);
  });
});

test('the control issue is rewritten when it differs', () => {
  const control = issueOf(2, { labels: [], requests: [], body: 'old' });
  const world = { repository: { controlIssue: 2 } };
  const [effect] = effectsOf(decideIn({ ...world, issues: [control] }), 'update-control-issue');
  expect(effect).toMatchObject({ number: 2 });
  const shown = { ...control, body: effect!.body };
  expect(decideIn({ ...world, issues: [shown] }).effects).toEqual([]);
  const pause = { by: 'person', code: 'paused-by-command', at: at(1) } as const;
  expect(decideIn({ repository: { controlIssue: 2, pause }, issues: [shown] }).effects).toHaveLength(1);
});

test('a comment of ours that stands twice is taken away, also from a task that is settled', () => {
  const doubledComments = [{ id: 31, number: 1, body: '' }];
  const { effects } = decided({ doubledComments }, { phase: 'halted', settled: true });
  expect(effects).toEqual([{ kind: 'delete-comment', number: 1, commentId: 31 }]);
});

test('a settled task is shown no more', () => {
  expect(decided({ refs: branch }, { phase: 'halted', settled: true }).effects).toEqual([]);
});

test('an intent that nobody wants any more is dropped', () => {
  const intents = { 'pull.7': { kind: 'create-pull', instance: 'two', since: at(59), at: at(59), tries: 1 } };
  expect(decideIn({ repository: { intents } }).state.repository.intents).toEqual({});
});
