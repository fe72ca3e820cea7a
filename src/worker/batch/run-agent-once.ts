import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readRegularFile } from '../../facts/read-regular-file.ts';
import { writeFileAtomic } from '../../host/files.ts';
import { removeTree } from '../../host/remove-tree.ts';
import type { Sandbox } from '../../host/sandbox.ts';
import { runCost, type UsedUp } from '../budget.ts';
import { agentEnvironment } from '../claude/agent-environment.ts';
import { agentArgv } from '../claude/argv.ts';
import { type AgentEnding, runAgent } from '../claude/process.ts';
import type { CostUpdate, ProgressEvent, StreamWarning } from '../claude/progress-event.ts';
import { type Gateway, type GatewayOptions, startGateway } from '../gateway/gateway.ts';
import type { GatewayStop } from '../gateway/gateway-event.ts';
import { openRequestLog } from '../gateway/request-log.ts';
import type { Refusal } from '../retry.ts';
import type { SharedBudget } from '../shared-budget.ts';
import type { AnswerSources } from './answer.ts';
import type { BatchJob, BatchTools } from './batch-job.ts';
import { batchPrompt, resultsFile } from './batch-prompt.ts';
import type { Phase } from './load-pipeline.ts';
import type { LiveRun, PhaseControl } from './phase-control.ts';
import type { Batch } from './plan.ts';

/** Name of the environment variable by which everything that runs for one output folder is found. */
export const outputMarker = 'CCD_BATCH';

/** A phase that is being worked on. */
export interface PhaseWork {
  readonly job: BatchJob;
  readonly tools: BatchTools;
  readonly phase: Phase;
  readonly control: PhaseControl;
  readonly sandbox: Sandbox;
  /** Folder of this run of the pipeline, removed at its end. */
  readonly scratch: string;
  /** What the agent reads and does not write. */
  readonly config: AgentConfig;
  /** Value of the marker. */
  readonly marker: string;
  /** Money of the phase, within that of the run, as the gateways share it. */
  readonly budget: SharedBudget;
  /** Gateways of the runs that are under way. */
  readonly gateways: Set<Gateway>;
  /** Warnings of streams that were told. */
  readonly warned: Set<StreamWarning>;
  /** Ends the runs that are under way. */
  readonly kill: AbortSignal;
}

export interface AgentConfig {
  readonly folder: string;
  readonly settingsFile: string;
  readonly rulesFile: string;
  readonly mcpConfigFile: string | undefined;
}

/** One run of the agent, ended, with nothing of it left but what is here and its debug folder. */
export interface EndedRun {
  readonly ending: AgentEnding;
  /** Why the gateway let nothing more through; null when it did not come to that. */
  readonly stopped: GatewayStop | null;
  /** The model's last answer that was an error. */
  readonly refusal: Refusal | null;
  readonly used: UsedUp;
  readonly cacheReadTokens: number;
  readonly sources: AnswerSources;
}

/** Results that an agent wrote down are not read beyond this. */
const largestAnswer = 64 * 1024 * 1024;
const noCap = 1_000_000_000_000;
/** As in an attempt: subagents, compactions and repeated requests are no turns for the agent. */
const answersPerTurn = 4;

/**
 * Runs the agent once on a batch, in a fresh work folder, behind a gateway of its own. What it has used is looked at with each
 * event, together with all other runs of the phase; when this returns it is counted as live until it is charged.
 */
export async function runAgentOnce(
  work: PhaseWork,
  batch: Batch,
  attempt: number,
): Promise<{ run: EndedRun; live: LiveRun }> {
  const { tools, control, gateways } = work;
  const folder = join(work.scratch, `run-${batch.worker}-${batch.index}-${attempt}`);
  const debug = await debugFolder(work, batch, attempt);
  const childKey = `ccd-${tools.ids.marker()}`;
  const log = openRequestLog(join(debug, 'requests.ndjson'));
  const end = new AbortController();
  const pass = () => end.abort(work.kill.reason);
  if (work.kill.aborted) pass();
  work.kill.addEventListener('abort', pass);
  let stopped: GatewayStop | null = null;
  const gateway = await startGateway({
    ...gatewayBounds(work, childKey),
    log,
    onStop: (told) => {
      stopped = told;
      // Money is the phase's: what it means for the others is decided there, and this run may say its last word.
      if (told.reason === 'max-cost') control.exhaust();
      else end.abort(told.reason);
    },
    onEvent: (event) => {
      if (event.type === 'slot-lost')
        tellPhase(
          work,
          `key ${event.slot} cannot be used (${event.why}): ${event.left} of ${event.of} are left`,
        );
      control.look();
    },
  });
  let seen: CostUpdate | null = null;
  const live: LiveRun = { used: () => liveUse(gateway, seen) };
  gateways.add(gateway);
  control.begin(live);
  try {
    const ending = await start(work, batch, {
      debug,
      folder,
      model: { url: gateway.url, key: childKey },
      stop: end.signal,
      onProgress: (event) => {
        if (event.type === 'cost-update') seen = event;
        if (event.type === 'warning') warnOnce(work, event.warning);
        control.look();
      },
    });
    return { run: await endedRun(gateway, ending, stopped, folder), live };
  } catch (fault) {
    control.charge(live, liveUse(gateway, seen), 0);
    throw fault;
  } finally {
    work.kill.removeEventListener('abort', pass);
    gateways.delete(gateway);
    await gateway.close();
    await log.close();
    await removeTree(folder);
  }
}

function gatewayBounds({ tools, phase, budget }: PhaseWork, childKey: string): GatewayOptions {
  return {
    access: tools.model.access,
    childKey,
    maxMicroUsd: noCap,
    budget,
    maxTurns: phase.max_turns * answersPerTurn,
  };
}

/** What the streams of a phase warn of, each kind once: with each run it would be said again. */
function warnOnce(work: PhaseWork, warning: StreamWarning): void {
  if (work.warned.has(warning)) return;
  work.warned.add(warning);
  tellPhase(work, `the stream of an agent: ${warning}`);
}

function tellPhase({ tools, phase }: PhaseWork, message: string): void {
  tools.tell({ type: 'warning', phase: phase.name, message });
}

async function endedRun(
  gateway: Gateway,
  ending: AgentEnding,
  stopped: GatewayStop | null,
  folder: string,
): Promise<EndedRun> {
  const { result, live } = ending.summary;
  return {
    ending,
    stopped,
    refusal: gateway.lastRefusal,
    used: runCost(gateway.totals, ending.summary),
    cacheReadTokens: Math.max(gateway.totals.cacheReadTokens, live.cacheReadTokens),
    sources: {
      structured: result?.structured_output,
      text: result?.result ?? null,
      // The only path that is read of what an agent wrote; its name is ours, and no link is followed.
      file: await readRegularFile(join(folder, 'work', resultsFile), largestAnswer),
    },
  };
}

/** What the gateway has metered; of an agent that does not ask it, what its stream has shown. */
function liveUse(gateway: Gateway, seen: CostUpdate | null): UsedUp & { cacheReadTokens: number } {
  const { answers, microUsd, estimated, inputTokens, outputTokens, cacheReadTokens } = gateway.totals;
  if (answers > 0 || seen === null) {
    return { microUsd, estimated, inputTokens, outputTokens, turns: answers, cacheReadTokens };
  }
  return { ...seen, estimated: true };
}

interface RunPlan {
  readonly debug: string;
  readonly folder: string;
  readonly model: { readonly url: string; readonly key: string };
  readonly stop: AbortSignal;
  readonly onProgress: (event: ProgressEvent) => void;
}

async function start(work: PhaseWork, batch: Batch, plan: RunPlan): Promise<AgentEnding> {
  const { job, tools, phase, config, sandbox } = work;
  const [cwd, home, temporary] = await makeFolders(plan.folder);
  const { debug, stop } = plan;
  const prompt = promptFor(work, batch);
  await writeFileAtomic(join(debug, 'prompt.txt'), prompt);
  const places = { home, temporary, modelUrl: plan.model.url, modelKey: plan.model.key };
  return runAgent(
    sandbox,
    {
      argv: argvOf(work),
      prompt,
      cwd,
      env: agentEnvironment(job.environment, places, {
        ...job.agentEnvironment,
        [outputMarker]: work.marker,
      }),
      stdoutFile: join(debug, 'agent.jsonl'),
      stderrFile: join(debug, 'agent.err'),
      writable: [cwd, home, temporary],
      readable: [config.folder, dirname(job.program), ...job.readable, ...phase.readablePaths],
      limits: {
        wallClockMs: phase.timeout_seconds * 1000,
        silenceMs: phase.silence_seconds * 1000,
        firstEventMs: job.times.firstEventMs,
      },
      stop,
      killTimes: job.times.kill,
      schemaAsked: phase.resultSchema !== null,
      onNews: () => undefined,
      onProgress: plan.onProgress,
    },
    tools.clock,
  );
}

async function makeFolders(folder: string): Promise<readonly [string, string, string]> {
  const folders = [join(folder, 'work'), join(folder, 'home'), join(folder, 'tmp')] as const;
  for (const one of folders) await mkdir(one, { recursive: true, mode: 0o700 });
  return folders;
}

/** What each run was given and what it said is kept, by batch and attempt, beside the results. */
async function debugFolder({ job, phase }: PhaseWork, batch: Batch, attempt: number): Promise<string> {
  const name = `W${batch.worker}B${batch.index}-${attempt}`;
  const folder = join(job.pipeline.outputFolder, 'debug', phase.name, name);
  await removeTree(folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function argvOf({ job, tools, phase, config }: PhaseWork): [string, ...string[]] {
  return agentArgv({
    program: job.program,
    model: phase.usedModel,
    limits: { maxTurns: phase.max_turns, maxMicroUsd: ownLimit(job.phaseBudget(phase.name)) },
    allowedTools: phase.tools,
    settingsFile: config.settingsFile,
    rulesFile: config.rulesFile,
    sessionId: tools.ids.uuid(),
    ...(phase.resultSchema === null ? {} : { jsonSchema: phase.resultSchema.answerSchema }),
    ...(config.mcpConfigFile === undefined ? {} : { mcpConfigFile: config.mcpConfigFile }),
  });
}

/** The CLI throws away the very answer by which its own limit is crossed: ours is to be crossed long before. */
function ownLimit(cap: number | null): number {
  return cap === null ? noCap : Math.min(noCap, Math.max(1, cap) * 4);
}

function promptFor({ phase, tools }: PhaseWork, batch: Batch): string {
  return batchPrompt({
    prompt: phase.promptText,
    items: batch.items,
    resultKey: phase.result_key,
    resultItem: phase.result_item,
    itemId: phase.item_id,
    hasSchema: phase.resultSchema !== null,
    canWrite: phase.tools.some((tool) => /^(?:Write|Bash)\b/.test(tool)),
    boundary: tools.ids.marker(),
  });
}
