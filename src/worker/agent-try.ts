import type { AttemptOutcome } from '../domain/contract.ts';
import { runOnce } from './agent-run.ts';
import type { BoundAttempt } from './bound-attempt.ts';
import { type BreakerEvent, type BreakerState, stepBreaker } from './breaker.ts';
import { addUsed, moneyLeft, nothingUsed, type UsedUp } from './budget.ts';
import { type ClassifiedOutcome, outcomeOf } from './claude/outcome.ts';
import type { AgentEnding } from './claude/process.ts';
import { buildPrompt } from './prompt.ts';
import { type Refusal, retryDelayMs, serverWishMs, usagePauseMs } from './retry.ts';
import type { FailedCheck } from './verify.ts';
import type { Workspace } from './workspace.ts';

export interface TryPlan {
  readonly number: number;
  readonly workspace: Workspace;
  readonly failed: readonly FailedCheck[];
  /** The agent's last words in the try before this one. */
  readonly said: string | null;
  /** What earlier tries have used of the attempt's money. */
  readonly used: UsedUp;
  readonly breaker: BreakerState;
  /** A fresh workspace at the tree this try began with. */
  readonly renew: () => Promise<Workspace>;
  /** Called for each set of tool results. */
  readonly onProgress: (workspace: Workspace) => void;
}

export interface TryEnd {
  readonly outcome: AttemptOutcome;
  readonly workspace: Workspace;
  readonly used: UsedUp;
  readonly breaker: BreakerState;
  readonly swept: number;
  readonly version: string | null;
  readonly model: string | null;
  readonly claim: string | null;
}

/** A limit that ends again and again is none that a pause helps against. */
const mostPauses = 10;

/**
 * One try: the agent runs once, and again after failures that pass by themselves, with growing waits or as long as the server
 * asks for. A usage limit that ends in time is waited for and costs no retry. A run that broke off after it had used tools is
 * never repeated on top of what it left: the work tree is laid afresh.
 */
export async function runTry(attempt: BoundAttempt, plan: TryPlan): Promise<TryEnd> {
  const { tools, stop, job } = attempt;
  const step = (state: BreakerState, event: BreakerEvent) => stepBreaker(state, event, job.breaker);
  let { workspace, breaker } = plan;
  let used = nothingUsed;
  let swept = 0;
  let afterBreak = false;
  let retries = 0;
  let pauses = 0;
  if (breaker.tripped !== null)
    return ended({ workspace, breaker, used, swept }, outcomeOf('no-result'), null);
  for (;;) {
    const money = moneyLeft(addUsed(plan.used, used), attempt.contract.limits.maxMicroUsd);
    if (money === null) return ended({ workspace, breaker, used, swept }, overBudget, null);
    const { ending, outcome, ...run } = await runOnce(attempt, {
      workspace,
      money,
      label: `${plan.number}-${retries + pauses}`,
      prompt: promptOf(attempt, plan, afterBreak),
      onProgress: plan.onProgress,
    });
    used = addUsed(used, run.used);
    swept += ending.swept;
    for (let own = 0; own < ending.summary.retries; own += 1) breaker = step(breaker, 'retry');
    if (outcome.reason === 'only-denied')
      tools.log.warn('every tool call of the agent was refused or failed: see its permissions');
    const wait = nextWait(attempt, outcome, { retries, pauses, refusal: run.refusal });
    if (wait === null) breaker = afterRun(breaker, outcome, step);
    else if (wait.kind === 'retry') breaker = step(breaker, 'retry');
    if (wait === null || breaker.tripped !== null)
      return ended({ workspace, breaker, used, swept }, outcome, ending);
    if (wait.kind === 'retry') retries += 1;
    else pauses += 1;
    tools.log.warn(
      `the agent run ${wait.kind === 'retry' ? 'failed' : 'met a usage limit'} and is repeated`,
      {
        reason: outcome.reason,
        waitMs: wait.ms,
      },
    );
    await tools.clock.sleep(wait.ms, stop);
    if (stop.aborted) return ended({ workspace, breaker, used, swept }, outcomeOf('cancelled'), ending);
    if (ending.summary.toolCalls > 0) {
      workspace = await plan.renew();
      afterBreak = true;
    }
  }
}

interface Wait {
  readonly kind: 'retry' | 'pause';
  readonly ms: number;
}

/** Whether and after what time a run is repeated; null when the try ends with it. */
function nextWait(
  { tools, stop, deadline }: BoundAttempt,
  outcome: ClassifiedOutcome,
  so: { readonly retries: number; readonly pauses: number; readonly refusal: Refusal | null },
): Wait | null {
  const now = tools.clock.now();
  if (stop.aborted) return null;
  if (outcome.reason === 'usage-limit') {
    const ms = usagePauseMs(outcome.resetsAt, now, deadline, tools.random());
    return ms === null || so.pauses >= mostPauses ? null : { kind: 'pause', ms };
  }
  if (!outcome.retry) return null;
  const ms = retryDelayMs(so.retries, tools.random(), serverWishMs(so.refusal, now));
  return ms === null || now + ms >= deadline ? null : { kind: 'retry', ms };
}

const overBudget = outcomeOf('max-cost');

function promptOf(attempt: BoundAttempt, plan: TryPlan, afterBreak: boolean): string {
  return buildPrompt({
    issue: attempt.issue,
    remarks: attempt.remarks,
    spec: attempt.spec,
    carried: attempt.start.carried,
    before: attempt.before,
    failed: plan.failed,
    said: plan.said,
    tryNumber: plan.number,
    maxTries: attempt.contract.limits.maxTries,
    afterBreak,
    boundary: attempt.tools.ids.marker(),
  });
}

/** What the end of a run without another retry does to the breaker. */
function afterRun(
  state: BreakerState,
  { breaker, reason, resetsAt }: ClassifiedOutcome,
  step: (state: BreakerState, event: BreakerEvent) => BreakerState,
): BreakerState {
  if (breaker === 'none') return state;
  // Nobody knows when another run would get further.
  if (reason === 'usage-limit' && resetsAt === null) return step(state, 'usage-limit');
  // The attempt ends with such a run: nothing is left to be kept from starting.
  return step(state, breaker === 'stop' ? 'failure' : breaker);
}

/** Money comes before the breaker: both may be true of one run. And a run that went well did, whatever was counted before. */
function ended(
  state: Pick<TryEnd, 'workspace' | 'breaker' | 'used' | 'swept'>,
  outcome: ClassifiedOutcome,
  ending: AgentEnding | null,
): TryEnd {
  const { tripped } = state.breaker;
  const stands = ['budget', 'success', 'cancelled'].includes(outcome.class);
  const init = ending?.summary.init ?? null;
  return {
    ...state,
    outcome: tripped === null || stands ? outcome : { ...outcome, reason: breakerReasons[tripped] },
    version: init?.claude_code_version ?? null,
    model: init?.model ?? ending?.summary.live.model ?? null,
    claim: ending?.summary.result?.result ?? null,
  };
}

const breakerReasons = {
  consecutiveFailures: 'breaker-failures',
  totalRetries: 'breaker-retries',
  consecutiveEmpty: 'breaker-empty',
  usageLimit: 'breaker-usage-limit',
} as const;
