import { describe, expect, test } from 'vitest';
import { digestValue } from '../../../src/domain/digest.ts';
import type { ObservedCommand } from '../../../src/domain/snapshot.ts';
import type { Phase, TaskState } from '../../../src/domain/state.ts';
import {
  at,
  author,
  candidateOf,
  commandOf,
  decideIn,
  effectsOf,
  endedAttempt,
  issueOf,
  labelEvent,
  labeller,
  memberOf,
  offeredBuild,
  oid,
  outsider,
  person,
  policyOf,
  pullOf,
  taskIn,
  taskOf,
  verdictOf,
  type World,
} from '../../support/snapshots.ts';

const issue = issueOf(1);
const fingerprint = digestValue('finding');
const finding = { rule: 'R2', class: 'test-removed', fingerprint } as const;
const halted = (over: Partial<TaskState> = {}) =>
  taskOf(issue, {
    phase: 'halted',
    generation: 3,
    attempt: endedAttempt(issue, 3),
    candidate: candidateOf(issue, 3),
    verdict: verdictOf('fail', { findings: [finding] }),
    spent: { microUsd: 0, tries: 0, generations: 3, queueEntries: 0 },
    settled: true,
    ...over,
  });
/** The issue after its request was used up: the label is gone, the events are not read again. */
const usedUp = issueOf(1, { labels: ['ccd:halted'], requests: [] });

function said(body: string, over: Partial<ObservedCommand> = {}, world: World = {}, policy = policyOf()) {
  return decideIn(
    { issues: [usedUp], tasks: [halted()], commands: [commandOf(body, over)], ...world },
    policy,
  );
}
const replies = (decision: ReturnType<typeof said>) =>
  effectsOf(decision, 'reply').map((effect) => effect.body);

describe('a comment that starts with /ccd', () => {
  test('is obeyed once, answered with an intent of its own, and remembered', () => {
    const decision = said('/ccd cancel');
    expect(taskIn(decision)).toMatchObject({ phase: 'withdrawn', reason: { code: 'cancelled-by-command' } });
    expect(decision.state.repository).toMatchObject({ consumedComments: [700], commentsSeenUntil: at(9) });
    expect(effectsOf(decision, 'reply')).toMatchObject([{ number: 1, to: '700', body: 'Cancelled.' }]);
    expect(decision.state.repository.intents['answer.700']).toMatchObject({ kind: 'reply' });
    const again = said('/ccd cancel', {}, { repository: { consumedComments: [700] } });
    expect(taskIn(again).phase).toBe('halted');
    expect(replies(again)).toEqual([]);
  });

  test('is answered even when the app died before it could: the answer is owed until it is seen', () => {
    const { repository } = said('/ccd cancel').state;
    expect(repository.answers).toEqual([{ to: '700', number: 1, code: 'cancelled', args: [] }]);
    const later = (over: World) => decideIn({ issues: [usedUp], tasks: [halted()], ...over });
    const retried = later({ repository, seconds: 90 });
    expect(effectsOf(retried, 'reply')).toMatchObject([{ to: '700', body: 'Cancelled.' }]);
    const seen = later({ repository, answered: ['700'], seconds: 90 });
    expect(seen.effects).toEqual([]);
    expect(seen.state.repository).toMatchObject({ answers: [], intents: {} });
  });

  test('whose answer GitHub will not take is not answered for ever', () => {
    const { repository } = said('/ccd cancel').state;
    const intents = { 'answer.700': { ...repository.intents['answer.700']!, since: at(-1000), tries: 10 } };
    const decision = decideIn({
      issues: [usedUp],
      tasks: [halted()],
      repository: { ...repository, intents },
    });
    expect(effectsOf(decision, 'reply')).toEqual([]);
    expect(decision.state.repository.answers).toEqual([]);
  });

  test('that was edited is no command and gets no answer, now or later', () => {
    const decision = said('/ccd cancel', { edited: true });
    expect(taskIn(decision).phase).toBe('halted');
    expect(replies(decision)).toEqual([]);
    expect(decision.state.repository.consumedComments).toEqual([700]);
  });

  test('of somebody without write access changes nothing and makes us write nothing', () => {
    const decision = said('/ccd cancel', { actor: person(4, false) });
    expect(taskIn(decision).phase).toBe('halted');
    expect(replies(decision)).toEqual([]);
    expect(decision.state.repository).toMatchObject({ answers: [], consumedComments: [700] });
  });

  test('finds the task of an issue that was labelled in the same pass', () => {
    const decision = decideIn({ issues: [issue], commands: [commandOf('/ccd cancel')] });
    expect(taskIn(decision)).toMatchObject({ phase: 'withdrawn', reason: { code: 'cancelled-by-command' } });
    expect(replies(decision)).toEqual(['Cancelled.']);
  });

  test.each(['/ccd hold', '/ccd cancel'])(
    '%s yields to a label that was set after it, not to one before',
    (body) => {
      const labelled = (seconds: number) => issueOf(1, { requests: [labelEvent(102, { at: at(seconds) })] });
      const held = halted({ phase: 'held', consumedEvents: [101] });
      const decide = (seconds: number) =>
        decideIn({ issues: [labelled(seconds)], tasks: [held], commands: [commandOf(body)], seconds: 60 });
      expect(taskIn(decide(8)).reason?.code).toMatch(/-by-command$/);
      expect(taskIn(decide(9)).reason?.code).toMatch(/-by-command$/);
      expect(taskIn(decide(10))).toMatchObject({ phase: 'running', generation: 4 });
      expect(replies(decide(10))).toEqual(['Not done. The label was set after that was said.']);
    },
  );

  test('waits while the rights of its author are unread', () => {
    const decision = said('/ccd cancel', { actor: person(4, null) });
    expect(decision.state.repository.consumedComments).toEqual([]);
    expect(taskIn(decision).phase).toBe('halted');
  });

  test('that cannot be read is answered, and so is one where no task is', () => {
    expect(replies(said('/ccd merge now'))[0]).toMatch(/^Not done\. Known commands/);
    expect(replies(said('/ccd hold', { number: 4 }))[0]).toMatch(/no task/);
  });
});

describe('hold, cancel and unqueue', () => {
  const candidate = candidateOf(issue);
  const queued = (body: string, phase: Phase = 'queued') =>
    said(
      body,
      {},
      {
        issues: [issue],
        tasks: [halted({ phase, candidate, generation: 1, verdict: verdictOf('pass'), settled: false })],
        members: [memberOf(1, candidate.oid)],
        build: offeredBuild([memberOf(1, candidate.oid)]),
      },
    );

  test.each([
    ['/ccd hold', 'held', 'held-by-command'],
    ['/ccd unqueue', 'held', 'unqueued-by-command'],
    ['/ccd cancel', 'withdrawn', 'cancelled-by-command'],
  ])('%s: the task is %s, its place in the queue and its build are given up', (body, phase, code) => {
    const decision = queued(body);
    expect(taskIn(decision)).toMatchObject({ phase, reason: { code }, settled: false });
    expect(decision.state.queue).toMatchObject({ members: [], build: null });
  });

  test.each(['/ccd hold', '/ccd cancel', '/ccd unqueue'])('%s does not undo a landing', (body) => {
    const landed = { build: 1, commit: oid('build'), at: at(5) };
    const decision = said(body, {}, { tasks: [halted({ phase: 'landed', landed })] });
    expect(taskIn(decision)).toMatchObject({ phase: 'landed', landed });
    expect(replies(decision)).toEqual(['Not done. It has landed.']);
  });
});

describe('pause and resume', () => {
  const control = issueOf(2, { labels: [], requests: [] });
  const repository = { controlIssue: 2 };

  test('are said on the control issue alone', () => {
    const elsewhere = said('/ccd pause', {}, { repository });
    expect(elsewhere.state.repository.pause).toBeNull();
    expect(replies(elsewhere)[0]).toMatch(/control issue/);
    const here = said('/ccd pause', { number: 2 }, { repository, issues: [control] });
    expect(here.state.repository.pause).toMatchObject({ by: 'person', code: 'paused-by-command' });
  });

  test('a resume takes back a pause of a person and one of an alarm', () => {
    const pause = { by: 'alarm', code: 'state-rolled-back', at: at(1) } as const;
    const decision = said('/ccd resume', { number: 2 }, { repository: { controlIssue: 2, pause } });
    expect(decision.state.repository.pause).toBeNull();
  });

  test('nothing can be paused where there is no control issue', () => {
    expect(said('/ccd pause').state.repository.pause).toBeNull();
  });
});

describe('a confirmation', () => {
  const waiting = taskOf(issue, { reason: { code: 'needs-confirmation', of: null } });
  const confirmed = (digest: string, task = waiting) =>
    said(`/ccd confirm ${digest}`, {}, { issues: [issue], tasks: [task] });

  test('of the echoed digest starts the task', () => {
    expect(taskIn(confirmed(issue.bodyDigest))).toMatchObject({ phase: 'running', generation: 1 });
  });

  test('of any other digest does not', () => {
    const decision = confirmed(digestValue('other'));
    expect(taskIn(decision)).toMatchObject({ phase: 'waiting', reason: { code: 'needs-confirmation' } });
    expect(replies(decision)[0]).toMatch(/not the digest/);
  });

  test('where none is waited for says so', () => {
    expect(replies(confirmed(issue.bodyDigest, halted()))[0]).toMatch(/Nothing waits/);
  });
});

describe('a waiver', () => {
  const waive = `/ccd waive ${fingerprint} the test was wrong`;

  test('by an outsider is recorded, and the candidate is judged again though its label is used up', () => {
    const decision = said(waive);
    expect(decision.state.repository.waivers).toEqual([
      { fingerprint, issue: 1, actorId: outsider.id, commentId: 700, at: at(9) },
    ]);
    expect(taskIn(decision)).toMatchObject({ phase: 'guarding', verdict: null, settled: false });
    expect(decision.computations).toMatchObject([{ kind: 'judge-candidate', issue: 1 }]);
    const next = decideIn({
      issues: [usedUp],
      tasks: [taskIn(decision)],
      repository: decision.state.repository,
    });
    expect(taskIn(next).phase).toBe('guarding');
  });

  test.each([
    ['wrote', author],
    ['labelled', labeller],
    ['labelled, earlier,', person(88)],
    ['edited', person(77)],
  ])('by the person who %s the issue is refused', (_what, actor) => {
    const tasks = [halted({ labelledBy: [88, labeller.id] })];
    const issues = [{ ...usedUp, editors: [77] }];
    const decision = said(waive, { actor }, { tasks, issues });
    expect(decision.state.repository.waivers).toEqual([]);
    expect(taskIn(decision).phase).toBe('halted');
    expect(replies(decision)[0]).toMatch(/neither wrote, edited nor labelled/);
  });

  test('by the labeller is refused after a hold, too', () => {
    const held = taskIn(said('/ccd hold', { actor: labeller }));
    const decision = said(waive, { actor: labeller }, { tasks: [held] });
    expect(decision.state.repository.waivers).toEqual([]);
  });

  test('by an involved person counts where trunk’s policy says `waivers: self`', () => {
    const decision = said(waive, { actor: author }, {}, policyOf({ waivers: 'self' }));
    expect(decision.state.repository.waivers).toHaveLength(1);
  });

  test('covers a standing finding only', () => {
    const decision = said(`/ccd waive ${digestValue('other')} because`);
    expect(decision.state.repository.waivers).toEqual([]);
    expect(replies(decision)[0]).toMatch(/No standing finding/);
  });

  test('of a finding in a tree that no branch may show offers that tree again', () => {
    const task = halted({ refused: { commit: oid('r'), findings: [finding] }, verdict: null });
    const decision = said(waive, {}, { tasks: [task] });
    expect(decision.computations).toEqual([{ kind: 'publish-refused', issue: 1 }]);
  });

  test('after a closed issue does not start anything', () => {
    const decision = said(waive, {}, { issues: [{ ...usedUp, open: false }] });
    expect(taskIn(decision)).toMatchObject({ phase: 'withdrawn', reason: { code: 'issue-closed' } });
  });
});

describe('a person’s pull request', () => {
  const head = oid('person');
  const queued = (
    body: string,
    pull: Parameters<typeof pullOf>[1] = {},
    over: Partial<ObservedCommand> = {},
  ) =>
    decideIn({
      commands: [commandOf(body, { number: 9, onPull: true, ...over })],
      pulls: [pullOf(9, { head, draft: false, ...pull })],
      build: offeredBuild([memberOf(5, oid('x'))]),
      members: [memberOf(5, oid('x'))],
    });

  test('is queued for exactly the commit that was named', () => {
    expect(queued(`/ccd queue ${head}`).state.queue.members[1]).toMatchObject({
      kind: 'pull',
      number: 9,
      candidate: head,
      requestedBy: outsider.id,
      keyDigest: null,
    });
    expect(queued(`/ccd queue ${oid('older')}`).state.queue.members).toHaveLength(1);
    expect(queued(`/ccd queue ${head.slice(0, 7)}`).state.queue.members).toHaveLength(1);
  });

  test.each([
    ['is closed', { open: false }],
    ['is a draft', { draft: true }],
    ['goes elsewhere', { base: 'release' }],
    ['is on a branch of ours', { headRef: 'ccd/task/1' }],
  ])('is not queued when it %s', (_what, pull) => {
    const decision = queued(`/ccd queue ${head}`, pull);
    expect(decision.state.queue.members).toHaveLength(1);
    expect(replies(decision)[0]).toMatch(/^Not done\./);
  });

  test('is not queued by a comment on an issue', () => {
    expect(queued(`/ccd queue ${head}`, {}, { onPull: false }).state.queue.members).toHaveLength(1);
  });

  test('of a task is the task’s: unqueue there takes the task out', () => {
    const task = halted({
      phase: 'queued',
      pull: { number: 9, id: 9 },
      settled: false,
      verdict: verdictOf('pass'),
    });
    const member = memberOf(1, candidateOf(issue, 3).oid, { pull: 9 });
    const decision = decideIn({
      issues: [issueOf(1, { requests: [] })],
      tasks: [task],
      members: [member],
      build: offeredBuild([member]),
      pulls: [pullOf(9, { head: candidateOf(issue, 3).oid, draft: false })],
      commands: [commandOf('/ccd unqueue', { number: 9, onPull: true })],
    });
    expect(decision.state.queue).toMatchObject({ members: [], build: null });
    expect(taskIn(decision)).toMatchObject({ phase: 'held', reason: { code: 'unqueued-by-command' } });
  });

  test.each([
    ['closed', { open: false }, 'closed'],
    ['pushed to', { head: oid('later') }, 'another commit'],
  ] as const)('that is %s leaves the queue at once, and is told', (_what, over, words) => {
    const member = memberOf(9, head, { kind: 'pull', pull: 9, requestedBy: 3 });
    const world = (pull: ReturnType<typeof pullOf>): World => ({
      members: [member],
      build: offeredBuild([member]),
      pulls: [pull],
    });
    const stands = decideIn(world(pullOf(9, { head, draft: false })));
    expect(stands.state.queue.members).toHaveLength(1);
    const gone = decideIn(world(pullOf(9, { head, draft: false, ...over })));
    expect(gone.state.queue).toMatchObject({ members: [], build: null });
    expect(replies(gone)[0]).toContain(words);
  });

  test('leaves the queue by unqueue', () => {
    const members = [memberOf(9, head, { kind: 'pull', pull: 9 })];
    const decision = decideIn({
      commands: [commandOf('/ccd unqueue', { number: 9, onPull: true })],
      pulls: [pullOf(9, { head, draft: false })],
      members,
      build: offeredBuild(members),
    });
    expect(decision.state.queue).toMatchObject({ members: [], build: null });
  });
});
