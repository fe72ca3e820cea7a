import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { writeFileAtomic } from '../../host/files.ts';
import { SharedBudget } from '../shared-budget.ts';
import { admitResults } from './admit.ts';
import { costFigures, dollars } from './batch-event.ts';
import type { BatchJob, BatchTools } from './batch-job.ts';
import type { Item } from './item.ts';
import type { Phase } from './load-pipeline.ts';
import type { ItemStatus } from './partial.ts';
import type { PartialStore } from './partial-store.ts';
import { cacheReadReason, PhaseControl, type PhaseStop, type RunMoney } from './phase-control.ts';
import { type ItemCounts, type PhaseEnd, phaseFault, type UnfinishedBatch } from './phase-end.ts';
import { type PhasePlan, planPhase } from './plan.ts';
import type { AgentConfig, PhaseWork } from './run-agent-once.ts';
import { type BatchEnd, type BatchWork, batchFigures, runBatch } from './run-batch.ts';
import { scanPartials } from './scan.ts';
import { tellPlan } from './tell-plan.ts';

/** What the phases of one run share. */
export interface PipelineWork {
  readonly job: BatchJob;
  readonly tools: BatchTools;
  readonly store: PartialStore;
  readonly runMoney: RunMoney;
  readonly runBudget: SharedBudget;
  readonly sandbox: PhaseWork['sandbox'];
  readonly scratch: string;
  readonly marker: string;
}

/** One phase: what earlier runs left, what is left to do, the workers, and what goes on to the next phase. */
export async function runPhase(
  shared: PipelineWork,
  phase: Phase,
  items: readonly Item[],
  config: AgentConfig,
): Promise<PhaseEnd> {
  const { job, tools, store } = shared;
  const began = tools.clock.now();
  const force = job.forced.has(phase.name);
  if (force) await store.clear(phase.name);
  const before = await store.read(phase.name, phase.result_key);
  const say = (message: string) => tools.tell({ type: 'warning', phase: phase.name, message });
  for (const { file, reason } of before.corrupt) say(`${file} is left out: ${reason}`);
  const { workers } = job;
  const options = { workers, batch: phase.batch, maxTurns: phase.max_turns, force };
  const plan = planPhase(items, scanPartials(before.stored, phase), options);
  tellPlan(shared, phase, items, plan);
  const run = new PhaseRun(shared, phase, config, began);
  await run.workOff(plan);
  return run.end(items, plan);
}

/**
 * What gateways let through together. One micro-dollar more than the cap: spending exactly the cap is allowed, and only the request
 * after that crosses it.
 */
export function gatewayCap(maxMicroUsd: number | null): number {
  return maxMicroUsd === null ? Number.MAX_SAFE_INTEGER : maxMicroUsd + 1;
}

/** The workers of one phase and what they have in common. */
class PhaseRun {
  readonly #shared: PipelineWork;
  readonly #phase: Phase;
  readonly #control: PhaseControl;
  readonly #work: BatchWork;
  readonly #began: number;
  readonly #stopped = new AbortController();
  readonly #kill = new AbortController();
  readonly #ends: BatchEnd[] = [];
  readonly #attempts = new Map<number, number>();
  #toldCost = -1;

  constructor(shared: PipelineWork, phase: Phase, config: AgentConfig, began: number) {
    const { job, tools } = shared;
    this.#shared = shared;
    this.#phase = phase;
    this.#began = began;
    this.#control = new PhaseControl({
      limits: {
        consecutiveFailures: phase.breaker.failures,
        totalRetries: phase.breaker.retries,
        consecutiveEmpty: phase.breaker.empty,
      },
      maxMicroUsd: job.phaseBudget(phase.name),
      runMoney: shared.runMoney,
      cacheReadGuard: phase.cache_read_guard,
      onStop: (stop) => this.#onStop(stop),
      onUsed: () => this.#tellCost(),
    });
    const limit = pLimit(job.maxConcurrent);
    this.#work = {
      ...shared,
      phase,
      config,
      control: this.#control,
      budget: new SharedBudget('phase', gatewayCap(job.phaseBudget(phase.name)), shared.runBudget),
      gateways: new Set(),
      warned: new Set(),
      kill: this.#kill.signal,
      stopped: this.#stopped.signal,
      oneOfMany: (run) => limit(run),
      onRetry: (batch, attempt, reason, delay) =>
        tools.tell({ type: 'retry-scheduled', ...this.#place(batch), attempt, reason, delay_ms: delay }),
      onStart: (batch, attempt) => {
        this.#attempts.set(batch.index, attempt + 1);
        tools.tell({ type: 'batch-started', ...this.#place(batch), items: batch.items.length, attempt });
      },
    };
  }

  /** Each worker takes its queue from front to back. A fault of ours ends the others before it is thrown. */
  async workOff(plan: PhasePlan): Promise<void> {
    const { stop } = this.#shared.tools;
    const cancel = () => this.#control.cancel();
    if (stop.aborted) cancel();
    stop.addEventListener('abort', cancel);
    try {
      await this.#writeQueues(plan);
      const workers = plan.queues.map(async (queue) => {
        try {
          for (const batch of queue) await this.#runOne(batch);
        } catch (fault) {
          cancel();
          throw fault;
        }
      });
      const faults = (await Promise.allSettled(workers)).flatMap((end) =>
        end.status === 'rejected' ? [end.reason as unknown] : [],
      );
      if (faults.length > 0) throw faults[0];
    } finally {
      stop.removeEventListener('abort', cancel);
      this.#kill.abort('cancelled');
      this.#stopped.abort();
    }
  }

  async #runOne(batch: BatchEnd['batch']): Promise<void> {
    const end = await runBatch(this.#work, batch);
    if (end === null) return;
    this.#ends.push(end);
    const figures = batchFigures(
      end,
      this.#attempts.get(batch.index) ?? 0,
      this.#control.usedWithLive.microUsd ?? 0,
    );
    this.#shared.tools.tell({ type: 'batch-finished', ...this.#place(batch), ...figures });
  }

  /** The ids that each worker was given, for people to look at: nothing reads them. */
  async #writeQueues({ queues }: PhasePlan): Promise<void> {
    const { outputFolder } = this.#shared.job.pipeline;
    for (const [worker, queue] of queues.entries()) {
      const batches = queue.map(({ index, items }) => ({ batch: index, ids: items.map(({ id }) => id) }));
      const text = `${JSON.stringify({ phase: this.#phase.name, worker, batches }, null, 2)}\n`;
      await writeFile(join(outputFolder, `${this.#phase.name}_QUEUE_W${worker}.json`), text);
    }
  }

  #place(batch: BatchEnd['batch']) {
    return { phase: this.#phase.name, worker: batch.worker, batch: batch.index };
  }

  #seconds(): number {
    return Math.round((this.#shared.tools.clock.now() - this.#began) / 100) / 10;
  }

  #onStop(stop: PhaseStop): void {
    const { tools } = this.#shared;
    const common = { phase: this.#phase.name, duration_s: this.#seconds() };
    this.#stopped.abort();
    if (stop.kind === 'budget') {
      const { scope, microUsd, maxMicroUsd } = stop;
      const figures = { cost_usd: dollars(microUsd), max_budget_usd: dollars(maxMicroUsd) };
      tools.tell({ type: 'budget-exceeded', scope, ...common, ...figures });
    }
    if (stop.kind === 'breaker') {
      const { stats } = this.#control;
      tools.tell({ type: 'circuit-breaker-tripped', reason: stop.reason, stats, ...common });
    }
    const isOfUse = stop.kind === 'budget' || (stop.kind === 'breaker' && stop.reason === cacheReadReason);
    if (isOfUse) this.#letArrive();
    else this.#kill.abort('cancelled');
  }

  /** What is being answered is paid for: it may arrive, and a run that ends with it is saved. Nothing more is asked. */
  #letArrive(): void {
    const { tools, job } = this.#shared;
    for (const gateway of this.#work.gateways) gateway.stop();
    void tools.clock.sleep(job.times.graceMs, this.#kill.signal).then(() => this.#kill.abort('max-cost'));
  }

  #tellCost(): void {
    const figures = this.#costFigures();
    if (figures.total_cost_usd === this.#toldCost) return;
    this.#toldCost = figures.total_cost_usd;
    this.#shared.tools.tell({ type: 'cost-update', phase: this.#phase.name, ...figures });
  }

  #costFigures() {
    const { microUsd, inputTokens, outputTokens, estimated } = this.#control.usedWithLive;
    const maxMicroUsd = this.#shared.job.phaseBudget(this.#phase.name);
    const batches = this.#ends.length;
    return costFigures({
      microUsd: microUsd ?? 0,
      inputTokens,
      outputTokens,
      estimated,
      maxMicroUsd,
      batches,
    });
  }

  /** Reads back what lies in the folder now: what goes on is what was written, not what is remembered. */
  async end(items: readonly Item[], plan: PhasePlan): Promise<PhaseEnd> {
    const { store, tools } = this.#shared;
    const phase = this.#phase;
    const { stored } = await store.read(phase.name, phase.result_key);
    const scan = scanPartials(stored, phase);
    const admitted = admitResults(items, scan, {
      result_id: phase.result_id,
      check: phase.output_fields === undefined ? (phase.resultSchema?.check ?? (() => null)) : () => null,
      known: new Map(
        stored.map(({ file, partial }) => [
          file,
          new Map(partial.metadata.invalid.map(({ index, reason }) => [index, reason])),
        ]),
      ),
    });
    await this.#writeResults(admitted);
    const counts = this.#counts(items, plan);
    const reason = phaseFault(this.#control.stops, counts);
    const seconds = this.#seconds();
    tools.tell(
      reason === null
        ? {
            type: 'phase-completed',
            phase: phase.name,
            duration_s: seconds,
            total_results: admitted.results.length,
          }
        : { type: 'phase-failed', phase: phase.name, reason, duration_s: seconds },
    );
    return {
      phase: phase.name,
      state: reason === null ? 'done' : 'failed',
      reason,
      stops: this.#control.stops,
      items: counts,
      batches: plan.queues.flat().length,
      unfinished: this.#unfinished(),
      ...admitted,
      breaker: this.#control.stats,
      cost: this.#costFigures(),
      lifetimeMicroUsd: scan.microUsd,
      seconds,
    };
  }

  async #writeResults(admitted: ReturnType<typeof admitResults>): Promise<void> {
    const { outputFolder } = this.#shared.job.pipeline;
    const { results, refused } = admitted;
    const text = `${JSON.stringify({ [this.#phase.result_key]: results, refused }, null, 2)}\n`;
    await writeFileAtomic(join(outputFolder, `${this.#phase.name}_RESULTS.json`), text);
  }

  #counts(items: readonly Item[], plan: PhasePlan): ItemCounts {
    const ended = this.#ends.flatMap((end) => end.items);
    const having = (status: ItemStatus) => ended.filter((item) => item.status === status).length;
    return {
      total: items.length,
      done: plan.done.length + having('done'),
      doneNow: having('done'),
      empty: having('empty'),
      maxTurns: plan.skipped.length + having('max-turns'),
      failed: having('failed'),
      interrupted: having('interrupted'),
      notStarted: plan.todo.length - ended.length,
    };
  }

  #unfinished(): UnfinishedBatch[] {
    return this.#ends.flatMap(({ batch, reason, items, file }) => {
      const ids = items.filter(({ status }) => status !== 'done').map(({ id }) => id);
      return ids.length === 0 ? [] : [{ worker: batch.worker, batch: batch.index, reason, ids, file }];
    });
  }
}
