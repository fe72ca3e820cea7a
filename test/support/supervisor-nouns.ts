import { artifactNames, type SpawnContract } from '../../src/domain/contract.ts';
import { digestValue } from '../../src/domain/digest.ts';
import type {
  Actor,
  LabelEvent,
  ObservedArtifact,
  ObservedCheck,
  ObservedCommand,
  ObservedIssue,
  ObservedPull,
  ObservedRun,
} from '../../src/domain/snapshot.ts';
import type {
  AttemptState,
  BuildState,
  CandidateState,
  Member,
  RepositoryState,
  TaskState,
  VerdictState,
} from '../../src/domain/state.ts';
import { type Policy, policySchema } from '../../src/policy/policy.ts';
import { bodyDigest } from '../../src/spec/digest.ts';
import { workerRunTitle, workerWorkflow } from '../../src/supervisor/attempts.ts';
import { newTask } from '../../src/supervisor/new-task.ts';
import { dispatchLabel } from '../../src/text/labels.ts';

export const startMs = Date.parse('2026-03-01T10:00:00.000Z');
export const botId = 900;
export const appId = 77;
export const takeoverMs = 20_000;

/** The instant so many seconds after the start of every test world, as GitHub writes it. */
export function at(seconds: number): string {
  return new Date(startMs + seconds * 1000).toISOString().replace('.000Z', 'Z');
}

/** An object id that is readable in a failure: the name's bytes in hexadecimal, filled up. */
export function oid(name: string): string {
  return Buffer.from(name).toString('hex').padEnd(40, '0').slice(0, 40);
}

export function person(id: number, mayWrite: boolean | null = true): Actor {
  return { id, login: `person-${id}`, kind: 'user', mayWrite };
}

export const author = person(1);
export const labeller = person(2);
export const outsider = person(3);

/** Policy with one required check of Actions, so that builds can be proven; `over` is laid on top. */
export function policyOf(over: Record<string, unknown> = {}): Policy {
  return policySchema.parse({
    required_checks: [{ name: 'ci', workflow: '.github/workflows/ci.yml' }],
    task: { test_command: 'npm test' },
    ...over,
  });
}

/** A sound issue body; `over` replaces keys of its `ccd` block, null leaves one out. */
export function bodyOf(over: Record<string, unknown> = {}): string {
  const fields = {
    kind: 'docs',
    objective: 'Say more.',
    allowed_paths: ['docs/'],
    test_command: 'npm test',
    ...over,
  };
  const lines = Object.entries(fields)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `\`\`\`ccd\n${lines.join('\n')}\n\`\`\`\n`;
}

export function labelEvent(eventId: number, over: Partial<LabelEvent> = {}): LabelEvent {
  return { eventId, label: dispatchLabel, actor: labeller, at: at(0), ...over };
}

/** An open, labelled issue with one request that nobody consumed yet. */
export function issueOf(number: number, over: Partial<ObservedIssue> = {}): ObservedIssue {
  const body = over.body ?? bodyOf({ allowed_paths: [`docs/${number}/`] });
  const title = over.title ?? `Issue ${number}`;
  return {
    number,
    id: 10_000 + number,
    nodeId: `I_${number}`,
    title,
    body,
    bodyDigest: bodyDigest(title, body),
    lastEditedAt: null,
    open: true,
    stateReason: null,
    author,
    labels: [dispatchLabel],
    requests: [labelEvent(100 + number)],
    editors: null,
    askerMayWrite: true,
    blockedBy: [],
    ...over,
  };
}

/** A task as it stands after its request was admitted; `over` says where it stands now. */
export function taskOf(issue: ObservedIssue, over: Partial<TaskState> = {}): TaskState {
  const first = issue.requests[0];
  return {
    ...newTask(issue),
    bodyDigest: issue.bodyDigest,
    specDigest: digestValue('spec'),
    request:
      first === undefined
        ? null
        : { eventId: first.eventId, actorId: first.actor.id, login: first.actor.login, at: first.at },
    consumedEvents: issue.requests.map((event) => event.eventId),
    labelledBy: issue.requests.map((event) => event.actor.id),
    ...over,
  };
}

export function contractOf(issue: ObservedIssue, generation = 1): SpawnContract {
  return {
    version: 1,
    repositoryId: 5,
    issue: issue.number,
    generation,
    attempt: `${issue.number}.${generation}`,
    attemptClass: 'mutable',
    profiles: ['localized'],
    base: oid('trunk'),
    baseTree: oid('trunk-tree'),
    bodyDigest: issue.bodyDigest,
    specDigest: digestValue('spec'),
    policyDigest: digestValue('policy'),
    limits: { maxMicroUsd: 1, maxTurns: 1, maxTries: 1, wallClockMs: 3_600_000, silenceMs: 60_000 },
    isolation: 'pid-namespace',
    carry: null,
  };
}

export function attemptOf(
  issue: ObservedIssue,
  generation = 1,
  over: Partial<AttemptState> = {},
): AttemptState {
  const contract = contractOf(issue, generation);
  return {
    id: contract.attempt,
    generation,
    contract,
    contractDigest: digestValue(contract),
    claimedAt: at(1),
    dispatches: 0,
    dispatchedAt: null,
    runId: null,
    boundAt: null,
    workingSince: null,
    stop: null,
    lastSequence: 0,
    report: null,
    microUsd: null,
    tries: 0,
    ended: false,
    ...over,
  };
}

export const reportReady = { status: 'ready', outcome: { class: 'success', reason: 'done' } } as const;

/** An attempt whose bound run is over and was read, with a report that says ready. */
export function endedAttempt(issue: ObservedIssue, generation = 1, over: Partial<AttemptState> = {}) {
  return attemptOf(issue, generation, {
    dispatches: 1,
    dispatchedAt: at(2),
    runId: 50,
    boundAt: at(3),
    lastSequence: 1,
    report: reportReady,
    ended: true,
    ...over,
  });
}

export function candidateOf(
  issue: ObservedIssue,
  generation = 1,
  over: Partial<CandidateState> = {},
): CandidateState {
  const name = `c${issue.number}.${generation}`;
  return {
    oid: oid(name),
    tree: oid(`${name}-tree`),
    base: oid('trunk'),
    baseTree: oid('trunk-tree'),
    attempt: `${issue.number}.${generation}`,
    sequence: 1,
    staticFindings: [],
    ...over,
  };
}

export function verdictOf(verdict: VerdictState['verdict'], over: Partial<VerdictState> = {}): VerdictState {
  return {
    keyDigest: digestValue('key'),
    verdict,
    try: 1,
    reason: verdict === 'could-not-judge' ? 'no-facts' : null,
    findings: [],
    judgedAt: at(5),
    ...over,
  };
}

/** A run of the worker as GitHub shows it when the app started it for this attempt. */
export function runOf(id: number, attempt: AttemptState, over: Partial<ObservedRun> = {}): ObservedRun {
  return {
    id,
    attempt: 1,
    event: 'workflow_dispatch',
    path: `${workerWorkflow}@refs/heads/ccd/run`,
    branch: 'ccd/run',
    head: oid('run'),
    title: workerRunTitle(attempt.id, attempt.contractDigest),
    actorId: botId,
    status: 'in_progress',
    conclusion: null,
    createdAt: at(2),
    ...over,
  };
}

export function artifactOf(id: number, runId: number, name: string): ObservedArtifact {
  return { id, runId, name, bytes: 100, expired: false };
}

export const treeArtifact = (id: number, runId: number, attempt: string, sequence: number) =>
  artifactOf(id, runId, artifactNames.handover(attempt, sequence));
export const reportArtifact = (id: number, runId: number, attempt: string) =>
  artifactOf(id, runId, artifactNames.report(attempt));

export function pullOf(number: number, over: Partial<ObservedPull> = {}): ObservedPull {
  return {
    number,
    id: 20_000 + number,
    nodeId: `PR_${number}`,
    open: true,
    merged: false,
    draft: true,
    head: oid('head'),
    headRef: 'feature',
    base: 'main',
    body: '',
    author: { ...person(botId), kind: 'app' },
    reviews: [],
    ...over,
  };
}

export function checkOf(commit: string, over: Partial<ObservedCheck> = {}): ObservedCheck {
  return {
    id: 300,
    name: 'ci',
    commit,
    appId: 15368,
    status: 'completed',
    conclusion: 'success',
    externalId: null,
    run: {
      id: 400,
      attempt: 1,
      event: 'push',
      path: '.github/workflows/ci.yml',
      branch: 'ccd/queue/1',
      head: commit,
      title: 'ci',
      actorId: botId,
      status: 'completed',
      conclusion: 'success',
      createdAt: at(5),
    },
    ...over,
  };
}

export function commandOf(body: string, over: Partial<ObservedCommand> = {}): ObservedCommand {
  return {
    commentId: 700,
    number: 1,
    onPull: false,
    actor: outsider,
    at: at(9),
    edited: false,
    body,
    ...over,
  };
}

export function memberOf(number: number, candidate: string, over: Partial<Member> = {}): Member {
  return {
    kind: 'task',
    number,
    pull: 1000 + number,
    candidate,
    keyDigest: digestValue('key'),
    queuedAt: at(6),
    requestedBy: null,
    ...over,
  };
}

export function buildOf(members: readonly Member[], over: Partial<BuildState> = {}): BuildState {
  return {
    number: 1,
    try: 1,
    base: oid('trunk'),
    baseTree: oid('trunk-tree'),
    stateCommit: null,
    madeAt: at(7),
    members: [...members],
    commit: null,
    tree: null,
    pushedAt: null,
    facts: null,
    verdict: null,
    policyDigest: digestValue('policy'),
    ...over,
  };
}

/** A build whose commit was composed and offered. */
export function offeredBuild(members: readonly Member[], over: Partial<BuildState> = {}): BuildState {
  return buildOf(members, {
    commit: oid('build'),
    tree: oid('build-tree'),
    stateCommit: oid('state'),
    pushedAt: at(8),
    ...over,
  });
}

export function repositoryOf(over: Partial<RepositoryState> = {}): RepositoryState {
  return {
    version: 1,
    repositoryId: 5,
    adopted: oid('adopted'),
    ready: true,
    pause: null,
    frozen: false,
    controlIssue: null,
    nextBuild: 1,
    lastLanded: null,
    intents: {},
    waivers: [],
    consumedComments: [],
    answers: [],
    commentsSeenUntil: null,
    ...over,
  };
}
