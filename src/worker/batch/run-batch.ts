import { addUsed, nothingUsed, type UsedUp } from '../budget.ts';
import { type ClassifiedOutcome, classifyRun, outcomeOf } from '../claude/outcome.ts';
import type { OutcomeReason } from '../claude/outcome-table.ts';
import { retryDelayMs, serverWishMs } from '../retry.ts';
import { type Answer, answerIn, recoveredIn } from './answer.ts';
import { dollars } from './batch-event.ts';
import { pick } from './item.ts';
import type { InvalidResult, ItemRecord, ItemStatus } from './partial.ts';
import type { PartialStore } from './partial-store.ts';
import type { LiveRun } from './phase-control.ts';
import type { Batch } from './plan.ts';
import { type EndedRun, type PhaseWork, runAgentOnce } from './run-agent-once.ts';
import { settleBatch } from './settle-batch.ts';

/** What became of one batch. */
export interface BatchEnd {
  readonly batch: Batch;
  readonly reason: string;
  readonly items: readonly ItemRecord[];
  readonly invalid: readonly InvalidResult[];
  readonly used: UsedUp;
  /** Name of the partial; null when there is nothing to tell. */
  readonly file: string | null;
}

/** Runs of the phase's workers, and where their results go. */
export interface BatchWork extends PhaseWork {
  readonly store: PartialStore;
  /** Runs one thing when no more than the allowed number of agents is running. */
  readonly oneOfMany: <Value>(run: () => Promise<Value>) => Promise<Value>;
  /** Aborted when nothing more is to be started. */
  readonly stopped: AbortSignal;
  readonly onRetry: (batch: Batch, attempt: number, reason: string, delayMs: number) => void;
  readonly onStart: (batch: Batch, attempt: number) => void;
}

/**
 * One batch: the agent runs on its items, again after failures that pass by themselves, and what came of it is written before
 * anything is counted against the limits. Null when nothing was started. A run that was killed leaves no results.
 */
export async function runBatch(work: BatchWork, batch: Batch): Promise<BatchEnd | null> {
  let used = nothingUsed;
  for (let attempt = 0; ; attempt += 1) {
    const started = await work.oneOfMany(() => runIfAllowed(work, batch, attempt));
    if (started === null) {
      return attempt === 0
        ? null
        : close(work, batch, { ...noAnswer('interrupted', 'interrupted'), used, attempt });
    }
    const { run, live } = started;
    used = addUsed(used, run.used);
    const outcome = trueOutcome(work, run);
    const wait = waitBefore(work, run, outcome, attempt);
    if (wait !== null) {
      charge(work, run, live);
      work.control.step('retry');
      if (work.control.mayStart) {
        work.onRetry(batch, attempt + 1, outcome.reason, wait);
        await work.tools.clock.sleep(wait, work.stopped);
        continue;
      }
      return close(work, batch, { ...noAnswer('failed', outcome.reason), used, attempt: attempt + 1 });
    }
    const end = await close(work, batch, { ...verdictOf(work, run, outcome), used, attempt: attempt + 1 });
    charge(work, run, live);
    count(work, end, outcome);
    return end;
  }
}

/** Counts what a run has used, and the retries that the agent made by itself. */
function charge({ control }: BatchWork, run: EndedRun, live: LiveRun): void {
  control.charge(live, run.used, run.cacheReadTokens);
  for (let retry = 0; retry < run.ending.summary.retries; retry += 1) control.step('retry');
}

async function runIfAllowed(work: BatchWork, batch: Batch, attempt: number) {
  if (!work.control.mayStart) return null;
  work.onStart(batch, attempt);
  return runAgentOnce(work, batch, attempt);
}

/** A run that had said its last word before it was stopped keeps its own outcome: nothing finished is thrown away. */
function trueOutcome(work: BatchWork, { ending, stopped: byGateway }: EndedRun): ClassifiedOutcome {
  const { stopped, summary, exit, outcome } = ending;
  if (stopped === null && byGateway === null) return outcome;
  const schemaAsked = work.phase.resultSchema !== null;
  const own = classifyRun({ exit, summary, stopped: null, schemaAsked });
  if (own.class === 'success' || own.class === 'empty') return own;
  if (byGateway !== null && !work.kill.aborted) return outcomeOf(byGateway.reason, byGateway.resetsAt);
  // The limit is that of one run here: the next one may well be quicker.
  return stopped === 'wall-clock'
    ? { ...outcome, class: 'transient', retry: true, breaker: 'failure' }
    : outcome;
}

/** Milliseconds before the run is repeated; null when it is not. */
function waitBefore(
  { control, tools }: BatchWork,
  { refusal }: EndedRun,
  outcome: ClassifiedOutcome,
  attempt: number,
): number | null {
  if (!outcome.retry || !control.mayStart) return null;
  return retryDelayMs(attempt, tools.random(), serverWishMs(refusal, tools.clock.now()));
}

interface BatchVerdict {
  readonly answer: Answer | null;
  /** What the items without a result are. */
  readonly rest: Exclude<ItemStatus, 'done'>;
  readonly reason: string;
}

const noAnswer = (rest: BatchVerdict['rest'], reason: string): BatchVerdict => ({
  answer: null,
  rest,
  reason,
});

/** What a run that is not repeated has brought, with what can be recovered of it when it did not come to its end. */
function verdictOf({ phase, control }: BatchWork, run: EndedRun, outcome: ClassifiedOutcome): BatchVerdict {
  const { result_key: key } = phase;
  if (outcome.class === 'success') {
    const answer = answerIn(run.sources, key);
    return answer === null
      ? noAnswer('failed', 'malformed-answer')
      : { answer, rest: 'empty', reason: outcome.reason };
  }
  if (outcome.class === 'empty') {
    const answer = recoveredIn(run.sources, key);
    return { answer, rest: 'empty', reason: answer === null ? outcome.reason : 'recovered' };
  }
  const answer = isRecoverable(run, outcome) ? recoveredIn(run.sources, key) : null;
  if (outcome.reason === 'max-turns') return { answer, rest: 'max-turns', reason: outcome.reason };
  // Once the phase was stopped, every other ending is the stop's doing: the gateway refuses, the agent is ended.
  const isStopped = outcome.class === 'cancelled' || outcome.reason === 'max-cost' || !control.mayStart;
  return { answer, rest: isStopped ? 'interrupted' : 'failed', reason: outcome.reason };
}

/** Of runs that broke off, those that ran out of turns or whose last event says success may have left something usable. */
function isRecoverable({ ending }: EndedRun, { reason }: ClassifiedOutcome): boolean {
  return ending.stopped === null && (reason === 'max-turns' || ending.summary.result?.subtype === 'success');
}

async function close(
  work: BatchWork,
  batch: Batch,
  verdict: BatchVerdict & { readonly used: UsedUp; readonly attempt: number },
): Promise<BatchEnd> {
  const { phase } = work;
  const results = verdict.answer?.results ?? [];
  const settled = settleBatch(batch.items, results, phase.result_item, verdict.rest);
  const invalid = results.flatMap((result, index): InvalidResult[] => {
    const reason = phase.resultSchema?.check(result) ?? null;
    return reason === null ? [] : [{ index, reason }];
  });
  warn(work, batch, settled.unowned.length, invalid);
  const { output_fields: fields } = phase;
  const kept = fields === undefined ? results : results.map((result) => pick(result, fields));
  const file = await work.store.write(
    { phase: phase.name, worker: batch.worker, batch: batch.index },
    phase.result_key,
    {
      results: kept,
      metadata: {
        phase: phase.name,
        worker_id: batch.worker,
        batch_index: batch.index,
        item_count: batch.items.length,
        timestamp: new Date(work.tools.clock.now()).toISOString(),
        processed_ids: settled.items.filter(({ status }) => status === 'done').map(({ id }) => id),
        items: [...settled.items],
        invalid,
        reason: verdict.reason,
        attempts: verdict.attempt,
        max_turns: phase.max_turns,
        model: phase.usedModel,
        micro_usd: verdict.used.microUsd,
        estimated: verdict.used.estimated,
      },
    },
  );
  return { batch, reason: verdict.reason, items: settled.items, invalid, used: verdict.used, file };
}

function warn(
  { phase, tools }: BatchWork,
  batch: Batch,
  unowned: number,
  invalid: readonly InvalidResult[],
): void {
  const say = (message: string) => tools.tell({ type: 'warning', phase: phase.name, message });
  const name = `W${batch.worker}B${batch.index}`;
  if (unowned > 0)
    say(`${name}: ${unowned} results name no item of the batch; they are kept and go to nobody`);
  const [first] = invalid;
  if (first !== undefined)
    say(
      `${name}: ${invalid.length} results do not fit the schema (${first.reason}); they are kept and not handed on`,
    );
}

/** What the end of a batch does to the breaker and to the phase. */
function count({ control }: BatchWork, end: BatchEnd, outcome: ClassifiedOutcome): void {
  if (end.items.some(({ status }) => status === 'done')) control.step('success');
  else if (end.items.every(({ status }) => status === 'empty')) control.step('empty');
  else if (outcome.reason === 'max-cost') control.exhaust();
  else if (end.items.every(({ status }) => status === 'interrupted')) return;
  else if (outcome.reason === 'usage-limit') control.trip(limitReason(outcome));
  else if (outcome.breaker === 'failure' || outcome.breaker === 'stop') control.step('failure');
  if (systemic.has(outcome.reason)) control.fail(outcome.reason);
}

function limitReason({ resetsAt }: ClassifiedOutcome): string {
  return resetsAt === null ? 'usage-limit' : `usage-limit until ${resetsAt}`;
}

/** Endings that every other run would have, too: the account, the model, the program. */
const systemic: ReadonlySet<OutcomeReason> = new Set<OutcomeReason>([
  'invalid-api-key',
  'forbidden',
  'not-logged-in',
  'authentication-failed',
  'billing',
  'model-not-found',
  'cli-usage',
  'spawn-failed',
]);

/** The figures of a batch as its event tells them. */
export function batchFigures(end: BatchEnd, attempts: number, cumulativeMicroUsd: number) {
  return {
    items: end.items.length,
    done: end.items.filter(({ status }) => status === 'done').length,
    results: end.items.reduce((sum, { results }) => sum + results.length, 0),
    reason: end.reason,
    attempts,
    cost_usd: end.used.microUsd === null ? null : dollars(end.used.microUsd),
    input_tokens: end.used.inputTokens,
    output_tokens: end.used.outputTokens,
    cumulative_usd: dollars(cumulativeMicroUsd),
    file: end.file,
  };
}
