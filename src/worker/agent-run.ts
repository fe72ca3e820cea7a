import { join } from 'node:path';
import { childAccess } from './agent-access.ts';
import type { BoundAttempt } from './bound-attempt.ts';
import { runCost, type UsedUp } from './budget.ts';
import { agentEnvironment } from './claude/agent-environment.ts';
import { agentArgv } from './claude/argv.ts';
import { type ClassifiedOutcome, outcomeOf } from './claude/outcome.ts';
import { type AgentEnding, runAgent } from './claude/process.ts';
import type { ProgressEvent } from './claude/progress-event.ts';
import { type Gateway, type GatewayOptions, startGateway } from './gateway/gateway.ts';
import type { GatewayEvent, GatewayStop } from './gateway/gateway-event.ts';
import { openRequestLog, type RequestLog } from './gateway/request-log.ts';
import { openProgressFile } from './progress-file.ts';
import type { Refusal } from './retry.ts';
import type { Workspace } from './workspace.ts';

export interface RunPlan {
  readonly workspace: Workspace;
  /** Micro-dollars that this run may spend. */
  readonly money: number;
  /** Part of the names of the run's files. */
  readonly label: string;
  readonly prompt: string;
  /** Called for each set of tool results. */
  readonly onProgress: (workspace: Workspace) => void;
}

export interface EndedRun {
  readonly ending: AgentEnding;
  /** What to make of it, the gateway's word included. */
  readonly outcome: ClassifiedOutcome;
  readonly used: UsedUp;
  /** The model's last answer that was an error. */
  readonly refusal: Refusal | null;
}

/**
 * Answers that the gateway fetches for each turn that the agent's own limit allows: subagents, compactions and repeated requests
 * are no turns for the agent. Its own limit ends a run in good order; this one holds against whoever goes around it.
 */
const answersPerTurn = 4;

/** One run of the agent behind a gateway of its own, which is closed when this returns. */
export async function runOnce(attempt: BoundAttempt, run: RunPlan): Promise<EndedRun> {
  const { tools, folders } = attempt;
  const stop = new AbortController();
  const pass = () => stop.abort(attempt.stop.reason);
  if (attempt.stop.aborted) pass();
  attempt.stop.addEventListener('abort', pass);
  const file = (kind: string) => join(folders.outputs, `agent-${run.label}.${kind}.ndjson`);
  const progress = openProgressFile(file('progress'), () => tools.clock.now());
  const log = openRequestLog(file('requests'));
  const childKey = `ccd-${tools.ids.marker()}`;
  let stopped: GatewayStop | null = null;
  const gateway = await startGateway({
    ...gatewayBounds(attempt, run, childKey, log),
    onStop: (told) => {
      stopped = told;
      stop.abort(told.reason);
    },
    onEvent: (event) => {
      progress.write(event);
      tellGateway(attempt, event);
    },
  });
  try {
    const onProgress = (event: ProgressEvent) => {
      progress.write(event);
      if (event.type === 'warning') tools.log.warn('the stream of the agent', { ...event });
    };
    const model = { url: gateway.url, key: childKey };
    const ending = await start(attempt, { ...run, model, progress: onProgress }, stop.signal);
    return endedRun(attempt, gateway, ending, stopped);
  } finally {
    attempt.stop.removeEventListener('abort', pass);
    await gateway.close();
    await progress.close();
    await log.close();
  }
}

function gatewayBounds(
  { job, tools, contract, deadline }: BoundAttempt,
  run: RunPlan,
  childKey: string,
  log: RequestLog,
): GatewayOptions {
  const { model } = tools;
  return {
    ...(model === undefined ? { modelUrl: job.modelUrl, modelKey: job.modelKey } : { access: model }),
    childKey,
    maxMicroUsd: run.money,
    maxTurns: contract.limits.maxTurns * answersPerTurn,
    wallClockMs: Math.max(1, deadline - tools.clock.now()),
    log,
  };
}

/** What people should see in the job's log; the rest is in the run's file. */
function tellGateway({ tools }: BoundAttempt, event: GatewayEvent): void {
  if (event.type === 'model-answered') return;
  const { type, ...fields } = event;
  tools.log.warn('the model gateway', { event: type, ...fields });
}

/** A stop by the gateway is the reason, unless the run came to a good end all the same or somebody else stopped the attempt. */
function endedRun(
  attempt: BoundAttempt,
  gateway: Gateway,
  ending: AgentEnding,
  stopped: GatewayStop | null,
): EndedRun {
  const well = ending.outcome.class === 'success' || ending.outcome.class === 'empty';
  const byGateway = stopped !== null && !well && !attempt.stop.aborted;
  const { usable, of } = gateway.slots;
  if (usable < of) attempt.tools.log.warn('not all keys for the model can be used', { usable, of });
  return {
    ending,
    outcome: byGateway ? outcomeOf(stopped.reason, stopped.resetsAt) : ending.outcome,
    used: runCost(gateway.totals, ending.summary),
    refusal: gateway.lastRefusal,
  };
}

interface StartPlan extends RunPlan {
  readonly model: { readonly url: string; readonly key: string };
  readonly progress: (event: ProgressEvent) => void;
}

function start(attempt: BoundAttempt, run: StartPlan, stop: AbortSignal): Promise<AgentEnding> {
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
    prompt: run.prompt,
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
      if (news === 'tool-results') run.onProgress(run.workspace);
    },
    onProgress: run.progress,
    testedVersionsOnly: policy.agent.versions === 'tested',
  };
  return runAgent(sandbox, agentRun, tools.clock);
}
