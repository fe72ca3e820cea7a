import { join } from 'node:path';
import type { AttemptOutcome } from '../domain/contract.ts';
import { childAccess } from './agent-access.ts';
import type { BoundAttempt } from './bound-attempt.ts';
import { type BreakerState, stepBreaker } from './breaker.ts';
import { addUsed, moneyLeft, nothingUsed, runCost, type UsedUp } from './budget.ts';
import { agentEnvironment } from './claude/agent-environment.ts';
import { agentArgv } from './claude/argv.ts';
import { type ClassifiedOutcome, outcomeOf } from './claude/outcome.ts';
import { type AgentEnding, runAgent } from './claude/process.ts';
import type { ProgressEvent } from './claude/progress-event.ts';
import { startGateway } from './gateway/gateway.ts';
import { openProgressFile } from './progress-file.ts';
import { buildPrompt } from './prompt.ts';
import { retryDelayMs } from './retry.ts';
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

/**
 * One try: the agent runs once, and again after failures that pass by themselves, with growing waits. A run that broke off
 * after it had used tools is never repeated on top of what it left: the work tree is laid afresh.
 */
export async function runTry(attempt: BoundAttempt, plan: TryPlan): Promise<TryEnd> {
  let { workspace, breaker } = plan;
  let used = nothingUsed;
  let swept = 0;
  let afterBreak = false;
  for (let retry = 0; ; retry += 1) {
    const money = moneyLeft(addUsed(plan.used, used), attempt.contract.limits.maxMicroUsd);
    if (money === null) return ended(plan, { workspace, breaker, used, swept }, overBudget, null);
    const run = await runOnce(attempt, plan, {
      workspace,
      money,
      afterBreak,
      label: `${plan.number}-${retry}`,
    });
    used = addUsed(used, run.used);
    swept += run.ending.swept;
    const wait = retryDelayMs(retry, attempt.tools.random(), null);
    const again =
      run.ending.outcome.retry && wait !== null && !attempt.stop.aborted && timeIsLeft(attempt, wait);
    breaker = again ? stepBreaker(breaker, 'retry') : afterRun(breaker, run.ending.outcome);
    if (run.ending.outcome.reason === 'only-denied')
      attempt.tools.log.warn('every tool call of the agent was refused or failed: see its permissions');
    if (!again || breaker.tripped !== null) {
      return ended(plan, { workspace, breaker, used, swept }, run.ending.outcome, run.ending);
    }
    attempt.tools.log.warn('the agent run failed and is repeated', {
      reason: run.ending.outcome.reason,
      waitMs: wait,
    });
    await attempt.tools.clock.sleep(wait, attempt.stop);
    if (run.ending.summary.toolCalls > 0) {
      workspace = await plan.renew();
      afterBreak = true;
    }
  }
}

const overBudget = outcomeOf('max-cost');

interface RunPlan {
  readonly workspace: Workspace;
  readonly money: number;
  readonly afterBreak: boolean;
  readonly label: string;
}

/** One run of the agent behind a gateway of its own, which is closed when this returns. */
async function runOnce(
  attempt: BoundAttempt,
  plan: TryPlan,
  run: RunPlan,
): Promise<{ ending: AgentEnding; used: UsedUp }> {
  const { job, tools } = attempt;
  const stop = new AbortController();
  const pass = () => stop.abort(attempt.stop.reason);
  if (attempt.stop.aborted) pass();
  attempt.stop.addEventListener('abort', pass);
  const childKey = `ccd-${tools.ids.marker()}`;
  const gateway = await startGateway({
    modelUrl: job.modelUrl,
    modelKey: job.modelKey,
    childKey,
    maxMicroUsd: run.money,
    onExhausted: () => stop.abort('max-cost'),
  });
  const file = join(attempt.folders.outputs, `agent-${run.label}.progress.ndjson`);
  const progress = openProgressFile(file, () => tools.clock.now());
  try {
    const onProgress = (event: ProgressEvent) => {
      progress.write(event);
      if (event.type === 'warning') tools.log.warn('the stream of the agent', { ...event });
    };
    const model = { url: gateway.url, key: childKey };
    const ending = await start(attempt, plan, { ...run, model, onProgress }, stop.signal);
    return { ending, used: runCost(gateway.totals, ending.summary) };
  } finally {
    attempt.stop.removeEventListener('abort', pass);
    await progress.close();
    await gateway.close();
  }
}

interface StartPlan extends RunPlan {
  readonly model: { readonly url: string; readonly key: string };
  readonly onProgress: (event: ProgressEvent) => void;
}

function start(
  attempt: BoundAttempt,
  plan: TryPlan,
  run: StartPlan,
  stop: AbortSignal,
): Promise<AgentEnding> {
  const { job, tools, folders, contract, policy, sandbox } = attempt;
  const { home, temporary, config, outputs } = folders;
  const argv = agentArgv({
    program: job.program,
    model: policy.agent.model,
    limits: { maxTurns: contract.limits.maxTurns, maxMicroUsd: run.money },
    allowedTools: policy.agent.allowed_tools,
    settingsFile: join(config, 'settings.json'),
    rulesFile: join(config, 'rules.txt'),
    sessionId: tools.ids.uuid(),
  });
  const places = { home, temporary, modelUrl: run.model.url, modelKey: run.model.key };
  const agentRun = {
    argv,
    prompt: promptOf(attempt, plan, run),
    cwd: run.workspace.folder,
    env: agentEnvironment(job.environment, places, job.agentEnvironment),
    stdoutFile: join(outputs, `agent-${run.label}.jsonl`),
    stderrFile: join(outputs, `agent-${run.label}.err`),
    ...childAccess(attempt, run.workspace.folder),
    limits: {
      wallClockMs: Math.max(1, attempt.deadline - tools.clock.now()),
      silenceMs: contract.limits.silenceMs,
      firstEventMs: job.times.firstEventMs,
    },
    stop,
    killTimes: job.times.kill,
    onNews: (news: string) => {
      if (news === 'tool-results') plan.onProgress(run.workspace);
    },
    onProgress: run.onProgress,
  };
  return runAgent(sandbox, agentRun, tools.clock);
}

function promptOf(attempt: BoundAttempt, plan: TryPlan, run: RunPlan): string {
  return buildPrompt({
    issue: attempt.issue,
    spec: attempt.spec,
    carried: attempt.start.carried,
    before: attempt.before,
    failed: plan.failed,
    said: plan.said,
    tryNumber: plan.number,
    maxTries: attempt.contract.limits.maxTries,
    afterBreak: run.afterBreak,
    boundary: attempt.tools.ids.marker(),
  });
}

function timeIsLeft(attempt: BoundAttempt, waitMs: number): boolean {
  return attempt.tools.clock.now() + waitMs < attempt.deadline;
}

/** What the end of a run without another retry does to the breaker. */
function afterRun(state: BreakerState, { breaker }: ClassifiedOutcome): BreakerState {
  if (breaker === 'none') return state;
  // The attempt ends with such a run: nothing is left to be kept from starting.
  return stepBreaker(state, breaker === 'stop' ? 'failure' : breaker);
}

function ended(
  plan: TryPlan,
  state: Pick<TryEnd, 'workspace' | 'breaker' | 'used' | 'swept'>,
  outcome: AttemptOutcome,
  ending: AgentEnding | null,
): TryEnd {
  const { tripped } = state.breaker;
  const named =
    tripped === null || plan.breaker.tripped !== null
      ? outcome
      : { ...outcome, reason: breakerReasons[tripped] };
  const init = ending?.summary.init ?? null;
  return {
    ...state,
    outcome: named,
    version: init?.claude_code_version ?? null,
    model: init?.model ?? ending?.summary.live.model ?? null,
    claim: ending?.summary.result?.result ?? null,
  };
}

const breakerReasons = {
  consecutiveFailures: 'breaker-failures',
  totalRetries: 'breaker-retries',
  consecutiveEmpty: 'breaker-empty',
} as const;
