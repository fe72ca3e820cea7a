import { z } from 'zod';
import { attemptIdSchema } from './attempt.ts';
import { spentSchema } from './budget.ts';
import { attemptOutcomeSchema, spawnContractSchema } from './contract.ts';
import { digestSchema } from './digest.ts';
import {
  databaseIdSchema,
  generationSchema,
  instantSchema,
  issueNumberSchema,
  microUsdSchema,
  oidSchema,
} from './ids.ts';
import { ruleSchema, verdictWordSchema } from './verdict.ts';

/** A word from a table of ours: the state holds no prose. */
const wordSchema = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,79}$/, 'not a plain word');

export const phaseSchema = z.enum([
  'waiting',
  'ready',
  'running',
  'reported',
  'guarding',
  'reviewing',
  'queued',
  'landed',
  'invalid',
  'halted',
  'interrupted',
  'superseded',
  'held',
  'withdrawn',
]);
export type Phase = z.infer<typeof phaseSchema>;

/** Why a task stands where it stands. `of` names the issue, run or build that the word speaks of. */
export const reasonSchema = z.strictObject({ code: wordSchema, of: z.number().int().min(0).nullable() });
export type Reason = z.infer<typeof reasonSchema>;

/** One honoured label event; each is consumed once. */
export const requestSchema = z.strictObject({
  eventId: databaseIdSchema,
  actorId: databaseIdSchema,
  /** Name of the account, by which its rights are read again. */
  login: z.string().min(1).max(100),
  at: instantSchema,
});

export const attemptStateSchema = z.strictObject({
  id: attemptIdSchema,
  generation: generationSchema,
  contract: spawnContractSchema,
  contractDigest: digestSchema,
  claimedAt: instantSchema,
  /** How often a dispatch was intended: at least once, never a sign of how often a worker started. */
  dispatches: z.number().int().min(0),
  dispatchedAt: instantSchema.nullable(),
  runId: databaseIdSchema.nullable(),
  boundAt: instantSchema.nullable(),
  /** When its run was first seen at work: waiting for a runner takes nothing of its wall clock. */
  workingSince: instantSchema.nullable(),
  /** Set when the attempt must stop: the worker reads it. */
  stop: wordSchema.nullable(),
  lastSequence: z.number().int().min(0),
  report: z
    .strictObject({ status: z.enum(['ready', 'blocked', 'failed']), outcome: attemptOutcomeSchema })
    .nullable(),
  microUsd: microUsdSchema.nullable(),
  tries: z.number().int().min(0),
  /** True once the run was seen completed and every artifact of it was read. */
  ended: z.boolean(),
});
export type AttemptState = z.infer<typeof attemptStateSchema>;

/** A finding as the state keeps it: its text stands in the check run. */
export const foundSchema = z.strictObject({
  rule: ruleSchema,
  class: z.string().max(60),
  fingerprint: digestSchema,
});
export type Found = z.infer<typeof foundSchema>;

export const candidateStateSchema = z.strictObject({
  oid: oidSchema,
  tree: oidSchema,
  base: oidSchema,
  baseTree: oidSchema,
  attempt: attemptIdSchema,
  sequence: z.number().int().min(1),
  /** What the static rules found when the tree came in; a candidate with any is judged without executing it. */
  staticFindings: z.array(foundSchema).max(2000),
});
export type CandidateState = z.infer<typeof candidateStateSchema>;

/** What the guard said of one key. */
export const verdictStateSchema = z.strictObject({
  keyDigest: digestSchema,
  verdict: verdictWordSchema,
  try: z.number().int().min(1),
  reason: wordSchema.nullable(),
  findings: z
    .array(z.strictObject({ rule: ruleSchema, class: z.string().max(60), fingerprint: digestSchema }))
    .max(2000),
  judgedAt: instantSchema,
});
export type VerdictState = z.infer<typeof verdictStateSchema>;

/** A facts job: dispatched for a plan, bound to one run, read once. */
export const factsStateSchema = z.strictObject({
  planDigest: digestSchema,
  try: z.number().int().min(1),
  dispatchedAt: instantSchema.nullable(),
  runId: databaseIdSchema.nullable(),
  state: z.enum(['wanted', 'running', 'read', 'missing']),
});
export type FactsState = z.infer<typeof factsStateSchema>;

/** What one artifact of a worker came to. */
export const handoverStateSchema = z.strictObject({
  attempt: attemptIdSchema,
  artifactId: databaseIdSchema,
  sequence: z.number().int().min(0),
  result: z.enum([
    'accepted',
    'unchanged',
    'refused',
    'unreadable',
    'stale_generation',
    'report',
    'report-invalid',
  ]),
  tree: oidSchema.nullable(),
  refused: wordSchema.nullable(),
});
export type HandoverState = z.infer<typeof handoverStateSchema>;

export const attemptRecordSchema = z.strictObject({
  attempt: attemptIdSchema,
  runId: databaseIdSchema.nullable(),
  startedAt: instantSchema.nullable(),
  endedAt: instantSchema.nullable(),
  outcome: attemptOutcomeSchema.nullable(),
  verdict: verdictWordSchema.nullable(),
  microUsd: microUsdSchema.nullable(),
  tries: z.number().int().min(0),
});
export type AttemptRecord = z.infer<typeof attemptRecordSchema>;

export const taskStateSchema = z.strictObject({
  version: z.literal(1),
  issue: issueNumberSchema,
  issueId: databaseIdSchema,
  phase: phaseSchema,
  reason: reasonSchema.nullable(),
  request: requestSchema.nullable(),
  consumedEvents: z.array(databaseIdSchema).max(10_000),
  /** Everybody who ever asked for this task to be started: none of them may waive what the guard finds. */
  labelledBy: z.array(databaseIdSchema).max(1000),
  /** Digests of what was echoed and pinned; null while the spec is invalid. */
  bodyDigest: digestSchema.nullable(),
  specDigest: digestSchema.nullable(),
  dependsOn: z.array(issueNumberSchema).max(500),
  generation: z.number().int().min(0),
  attempt: attemptStateSchema.nullable(),
  candidate: candidateStateSchema.nullable(),
  verdict: verdictStateSchema.nullable(),
  facts: factsStateSchema.nullable(),
  handovers: z.array(handoverStateSchema).max(1000),
  refusedTrees: z.number().int().min(0),
  /** Commit whose change the next generation starts from, and the base it was made on. */
  carry: z.strictObject({ candidate: oidSchema, base: oidSchema }).nullable(),
  /** A tree that no branch may show: kept aside with a failing check. */
  refused: z.strictObject({ commit: oidSchema, findings: z.array(foundSchema).max(2000) }).nullable(),
  pull: z.strictObject({ number: issueNumberSchema, id: databaseIdSchema }).nullable(),
  statusComment: databaseIdSchema.nullable(),
  /** The check run on the candidate, or on the refused tree, and the digest of what it shows. */
  guardCheck: z.strictObject({ id: databaseIdSchema, commit: oidSchema, shown: digestSchema }).nullable(),
  landed: z
    .strictObject({ build: z.number().int().positive(), commit: oidSchema, at: instantSchema })
    .nullable(),
  spent: spentSchema,
  records: z.array(attemptRecordSchema).max(1000),
  /** True when nothing is left to do: the task leaves the active index. */
  settled: z.boolean(),
});
export type TaskState = z.infer<typeof taskStateSchema>;

/** A task's or a person's change waiting to land. `pull` members were queued by a person for one commit only. */
export const memberSchema = z.strictObject({
  kind: z.enum(['task', 'pull']),
  number: issueNumberSchema,
  pull: issueNumberSchema.nullable(),
  candidate: oidSchema,
  keyDigest: digestSchema.nullable(),
  queuedAt: instantSchema,
  requestedBy: databaseIdSchema.nullable(),
});
export type Member = z.infer<typeof memberSchema>;

export const buildStateSchema = z.strictObject({
  number: z.number().int().positive(),
  try: z.number().int().min(1),
  base: oidSchema,
  baseTree: oidSchema,
  /** State commit that recorded this number and try; goes into the build's trailers. */
  stateCommit: oidSchema.nullable(),
  /** Instant used as the commit's date, so that the same number and try give the same commit. */
  madeAt: instantSchema,
  members: z.array(memberSchema).max(100),
  commit: oidSchema.nullable(),
  tree: oidSchema.nullable(),
  pushedAt: instantSchema.nullable(),
  facts: factsStateSchema.nullable(),
  verdict: verdictStateSchema.nullable(),
  policyDigest: digestSchema,
});
export type BuildState = z.infer<typeof buildStateSchema>;

export const queueStateSchema = z.strictObject({
  version: z.literal(1),
  members: z.array(memberSchema).max(10_000),
  build: buildStateSchema.nullable(),
});
export type QueueState = z.infer<typeof queueStateSchema>;

/** How one build ended, written once. */
export const buildRecordSchema = z.strictObject({
  version: z.literal(1),
  number: z.number().int().positive(),
  try: z.number().int().min(1),
  outcome: z.enum(['landed', 'failed', 'rebuilt', 'dissolved']),
  reason: reasonSchema.nullable(),
  base: oidSchema,
  commit: oidSchema.nullable(),
  tree: oidSchema.nullable(),
  members: z.array(memberSchema),
  keyDigest: digestSchema.nullable(),
  endedAt: instantSchema,
});
export type BuildRecord = z.infer<typeof buildRecordSchema>;

/** An effect that GitHub offers no conditional write for: its right is taken here before it is made. */
export const intentSchema = z.strictObject({
  kind: wordSchema,
  instance: wordSchema,
  /** When it was taken first, and last. */
  since: instantSchema,
  at: instantSchema,
  tries: z.number().int().min(1),
});
export type Intent = z.infer<typeof intentSchema>;

export const waiverSchema = z.strictObject({
  fingerprint: digestSchema,
  issue: issueNumberSchema,
  actorId: databaseIdSchema,
  commentId: databaseIdSchema,
  at: instantSchema,
});
export type Waiver = z.infer<typeof waiverSchema>;

/** A comment that the app owes to somebody: kept until it was seen to stand. */
export const answerSchema = z.strictObject({
  /** What it answers: the id of a command comment, or a word for an event such as a build that failed. */
  to: z.string().regex(/^[a-z0-9.-]{1,80}$/),
  number: issueNumberSchema,
  /** The sentence as a word, and what stands in its gaps: prose is kept on the issue alone. */
  code: wordSchema,
  args: z.array(z.string().regex(/^[A-Za-z0-9._-]{0,100}$/)).max(4),
});
export type Answer = z.infer<typeof answerSchema>;

export const repositoryStateSchema = z.strictObject({
  version: z.literal(1),
  repositoryId: databaseIdSchema,
  adopted: oidSchema,
  ready: z.boolean(),
  pause: z.strictObject({ by: z.enum(['person', 'alarm']), code: wordSchema, at: instantSchema }).nullable(),
  frozen: z.boolean(),
  controlIssue: issueNumberSchema.nullable(),
  nextBuild: z.number().int().positive(),
  /** The newest landed build's commit: trunk always holds it. */
  lastLanded: oidSchema.nullable(),
  intents: z.record(z.string().max(200), intentSchema),
  waivers: z.array(waiverSchema).max(10_000),
  /** Comments whose command was carried out or refused, so that none is obeyed twice. */
  consumedComments: z.array(databaseIdSchema).max(100_000),
  answers: z.array(answerSchema).max(1000),
  /** Where the scan of comments on the control issue stands. */
  commentsSeenUntil: instantSchema.nullable(),
});
export type RepositoryState = z.infer<typeof repositoryStateSchema>;

/** What the loop has loaded of the state branch: the repository, the queue, each active task and each task these depend on. */
export interface State {
  readonly repository: RepositoryState;
  readonly queue: QueueState;
  readonly tasks: ReadonlyMap<number, TaskState>;
  /** Builds that ended in this pass, by `number.try`; earlier ones stay on the branch unread. */
  readonly builds: ReadonlyMap<string, BuildRecord>;
}

/** Paths of the files on the state branch. */
export const statePaths = {
  repository: 'repository.json',
  queue: 'queue.json',
  task: (issue: number) => `tasks/${shard(issue)}/${issue}.json`,
  active: (issue: number) => `active/${issue}.json`,
  build: (build: number, attempt: number) => `builds/${shard(build)}/${build}.${attempt}.json`,
  verdict: (keyDigest: string) => `verdicts/${keyDigest.slice(7, 9)}/${keyDigest.slice(7)}.json`,
} as const;

/** Two digits, so that no folder grows with the number of tasks but by a hundredth of it. */
function shard(value: number): string {
  return String(value % 100).padStart(2, '0');
}
