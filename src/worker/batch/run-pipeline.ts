import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../host/files.ts';
import { removeTree } from '../../host/remove-tree.ts';
import { createSandbox } from '../../host/sandbox.ts';
import { settingsJson } from '../claude/settings.ts';
import { rulesText } from '../rules.ts';
import { SharedBudget } from '../shared-budget.ts';
import type { BatchJob, BatchTools } from './batch-job.ts';
import { type Item, type ReadItems, readItems } from './item.ts';
import type { Phase } from './load-pipeline.ts';
import { lockOutput } from './output-lock.ts';
import { PartialStore } from './partial-store.ts';
import type { RunMoney } from './phase-control.ts';
import { emptyPhaseEnd, type PhaseEnd } from './phase-end.ts';
import { type PipelineEnd, pipelineEnd } from './pipeline-end.ts';
import { makeOutputFolder, preflight } from './preflight.ts';
import type { AgentConfig } from './run-agent-once.ts';
import { gatewayCap, type PipelineWork, runPhase } from './run-phase.ts';
import { sweepMarked } from './sweep-marked.ts';

/**
 * Runs a pipeline: its phases in their order, each once, until one is not done. Whatever ends it, all that was finished lies in the
 * output folder, no process of it is left, and the same call again does what is missing. Throws CcdError (operator) for what
 * makes a run impossible, before anything is spent.
 */
export async function runPipeline(job: BatchJob, tools: BatchTools): Promise<PipelineEnd> {
  const outputFolder = await makeOutputFolder(job.pipeline);
  const lock = await lockOutput(outputFolder);
  const own = { ...job, pipeline: { ...job.pipeline, outputFolder } };
  const over = new AbortController();
  // Again and again: a run that was just about to start its agent is not seen by the first look.
  const kill = async () => {
    while (!over.signal.aborted) {
      await sweepMarked(lock.name, tools.clock);
      await tools.clock.sleep(50, over.signal);
    }
  };
  const killNow = () => void kill();
  tools.killNow.addEventListener('abort', killNow);
  try {
    // Whoever held the lock before is dead: what it left behind still works, and spends.
    await sweepMarked(lock.name, tools.clock);
    return await runLocked(own, tools, lock.name);
  } finally {
    tools.killNow.removeEventListener('abort', killNow);
    over.abort();
    await lock.release();
  }
}

async function runLocked(job: BatchJob, tools: BatchTools, marker: string): Promise<PipelineEnd> {
  const store = new PartialStore(job.pipeline.outputFolder, () => tools.clock.now());
  const fromFiles = await preflight(job, tools.model, store);
  await mkdir(job.tempFolder, { recursive: true });
  const scratch = await mkdtemp(join(job.tempFolder, 'ccd-batch-'));
  try {
    const sandbox = await createSandbox({
      minimum: job.pipeline.isolation,
      ephemeral: job.ephemeral,
      ownFolder: scratch,
      // What other runs answered must not be seen by the next one.
      hidden: [job.pipeline.outputFolder, scratch, ...job.hidden],
      clock: tools.clock,
      ids: tools.ids,
    });
    for (const gap of sandbox.enforced.gaps)
      tools.tell({ type: 'warning', phase: null, message: `isolation: ${gap}` });
    const runMoney: RunMoney = { maxMicroUsd: job.runBudget, spent: 0 };
    const runBudget = new SharedBudget('run', gatewayCap(job.runBudget));
    const work: PipelineWork = { job, tools, store, runMoney, runBudget, sandbox, scratch, marker };
    return await runPhases(work, fromFiles);
  } finally {
    await sweepMarked(marker, tools.clock);
    await removeTree(scratch);
  }
}

async function runPhases(
  work: PipelineWork,
  fromFiles: ReadonlyMap<string, ReadItems>,
): Promise<PipelineEnd> {
  const { job, tools } = work;
  const began = tools.clock.now();
  const phases = job.pipeline.phases;
  tools.tell({
    type: 'pipeline-started',
    phases: phases.map(({ name }) => name),
    workers: job.workers,
    max_concurrent: job.maxConcurrent,
    force: job.forced.size > 0,
  });
  const ends: PhaseEnd[] = [];
  for (const phase of phases) {
    const read = fromFiles.get(phase.name) ?? itemsFrom(ends, phase);
    tellItems(work, phase, read);
    const end =
      read.ambiguous.length > 0
        ? notBegun(work, phase, read)
        : await runPhase(work, phase, read.items, await agentConfig(work, phase));
    ends.push(end);
    if (end.state === 'failed' && !(end.stops.length === 0 && phase.on_unfinished === 'continue')) break;
  }
  const seconds = Math.round((tools.clock.now() - began) / 100) / 10;
  const end = pipelineEnd(phases, ends, {
    seconds,
    spent: work.runMoney.spent,
    enforced: work.sandbox.enforced,
  });
  tools.tell(
    end.state === 'completed'
      ? {
          type: 'pipeline-completed',
          phases: ends.length,
          results: ends.reduce((sum, { results }) => sum + results.length, 0),
          duration_s: seconds,
        }
      : { type: 'pipeline-failed', reason: end.state, duration_s: seconds },
  );
  return end;
}

/** The results of the phase before; it ran, because the order says so. */
function itemsFrom(ends: readonly PhaseEnd[], phase: Phase): ReadItems {
  const { input } = phase;
  const before = ends.find((end) => 'phase' in input && end.phase === input.phase);
  return readItems(before?.results ?? [], phase, phase.keyParts);
}

/** Results of the phase before that differ and have one id: which of them is meant nobody can say. */
function notBegun({ job, tools }: PipelineWork, phase: Phase, { ambiguous }: ReadItems): PhaseEnd {
  const [first = ''] = ambiguous;
  const message = `the id ${first} stands for items that differ (${ambiguous.length} such ids): name another item_id, or the result_id of the phase before`;
  tools.tell({ type: 'warning', phase: phase.name, message });
  const reason = 'ambiguous-ids';
  tools.tell({ type: 'phase-failed', phase: phase.name, reason, duration_s: 0 });
  return emptyPhaseEnd(phase.name, reason, job.phaseBudget(phase.name));
}

function tellItems({ tools }: PipelineWork, phase: Phase, read: ReadItems): void {
  const say = (message: string) => tools.tell({ type: 'warning', phase: phase.name, message });
  if (read.repeated > 0) say(`${read.repeated} items stand there twice and are taken once`);
  const [below] = read.below;
  if (below !== undefined)
    say(`${read.below.length} items are below the severity that is asked for (${below}, …)`);
  const unnamed = read.items.filter((item: Item) => !item.named).length;
  if (unnamed > 0) say(`${unnamed} items have no ${phase.item_id} and are worked on in every run`);
}

/** The files that the phase's agents read, written once. */
async function agentConfig({ scratch }: PipelineWork, phase: Phase): Promise<AgentConfig> {
  const folder = join(scratch, `config-${phase.name}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const settingsFile = join(folder, 'settings.json');
  const rulesFile = join(folder, 'rules.txt');
  await writeFileAtomic(settingsFile, settingsJson());
  await writeFileAtomic(rulesFile, rulesText(null));
  if (Object.keys(phase.mcp_servers).length === 0)
    return { folder, settingsFile, rulesFile, mcpConfigFile: undefined };
  const mcpConfigFile = join(folder, 'mcp.json');
  await writeFileAtomic(mcpConfigFile, `${JSON.stringify({ mcpServers: phase.mcp_servers })}\n`);
  return { folder, settingsFile, rulesFile, mcpConfigFile };
}
