import type { Store } from '../store.ts';
import type { Delivery, DeliveryPolicy } from '../webhooks/deliveries.ts';
import type { WireAnswer } from '../wire.ts';
import { administratorMoves } from './administrator.ts';
import { AFTER, BEFORE, planFault, reaches } from './api-faults.ts';
import { Decider, type Strike, type Subject } from './decider.ts';
import type { FaultKind, FaultPlan, FaultRecord, FaultRule } from './fault-plan.ts';
import type { Fault, FaultCall } from './faults.ts';
import { isRead, StaleReads } from './stale-reads.ts';

const STALE_MS = 5_000;
const LATE_MS = 2_000;

/** What of this GitHub a plan acts upon. */
export interface Stage {
  readonly store: Store;
  readonly deliveries: { setPolicy(policy: DeliveryPolicy): void };
  /** Hears of each job that a runner took, and acts on runners. Without it, faults of runners strike nobody. */
  readonly runners?: RunnerStage;
  /** Ends the client: its connection is torn in any case. */
  readonly crashClient?: (record: FaultRecord) => void;
  /** Hears of each strike. */
  readonly tell?: (record: FaultRecord) => void;
}

export interface RunnerStage {
  /** Calls back when a job has started, with its name and whose run it is; the answer unsubscribes. */
  onJobStarted(listener: (job: { id: number; name: string; by: string }) => void): () => void;
  loseRunner(jobId: number): void;
  stickJob(jobId: number): void;
}

/** A plan under way. */
export interface Play {
  /** Every fault that struck, in order. Handed to `playPlan` again, exactly these strike. */
  readonly records: readonly FaultRecord[];
  /** Ends the misbehaviour; what is late still comes. */
  stop(): void;
}

/** Plays a plan of misbehaviour, or with `recorded` the very strikes of an earlier play. */
export function playPlan(
  stage: Stage,
  plan: FaultPlan,
  recorded: readonly FaultRecord[] | null = null,
): Play {
  const player = new Player(stage, plan, new Decider(plan.seed, recorded));
  return { records: player.records, stop: player.start() };
}

class Player {
  readonly records: FaultRecord[] = [];
  readonly #stage: Stage;
  readonly #rules: readonly FaultRule[];
  readonly #decider: Decider;
  readonly #stale: StaleReads;

  constructor(stage: Stage, plan: FaultPlan, decider: Decider) {
    this.#stage = stage;
    this.#rules = plan.rules;
    this.#decider = decider;
    const lags = plan.rules.filter(isStale).map((rule) => Math.abs(rule.ms ?? STALE_MS));
    this.#stale = new StaleReads(Math.max(0, ...lags));
  }

  start(): () => void {
    const { store, deliveries, runners } = this.#stage;
    const ends = [
      store.faults.before('*', (call) => this.#before(call)),
      store.faults.after('*', (call, truth) => this.#after(call, truth)),
      runners?.onJobStarted((job) => this.#job(job)),
    ];
    deliveries.setPolicy({
      drop: (delivery) => this.#hits('webhook-lost', delivery, 'never sent') !== null,
      duplicate: (delivery) => this.#hits('webhook-repeated', delivery, 'sent twice') !== null,
      reorder: (delivery) => this.#hits('webhook-reordered', delivery, 'sent after its successor') !== null,
      delayMs: (delivery) => this.#lateness(delivery),
    });
    return () => {
      for (const end of ends) end?.();
      deliveries.setPolicy({});
    };
  }

  async #before(call: FaultCall): Promise<Fault | undefined> {
    let fault: Fault | undefined;
    for (const strike of this.#meet((rule) => BEFORE.has(rule.kind), call)) {
      const one = await this.#strikeBefore(strike, call);
      fault = { ...one, ...fault };
    }
    return fault;
  }

  /** A strike that changes something here, or the fault of this call. */
  async #strikeBefore(strike: Strike, call: FaultCall): Promise<Fault | undefined> {
    const { store } = this.#stage;
    const { rule } = strike;
    const subject = subjectOf(call);
    if (rule.kind === 'clock-jump') {
      const ms = rule.ms ?? 3_600_000;
      store.clockSkewMs += ms;
      this.#record(strike, subject, `the clock jumped by ${ms} ms`);
      return undefined;
    }
    if (rule.kind === 'admin-rolls-back' || rule.kind === 'admin-deletes-branch') {
      const where = { repository: rule.repository!, ref: rule.ref! };
      const what = await administratorMoves(store, rule.kind, where);
      if (what !== null) this.#record(strike, subject, what);
      return undefined;
    }
    return this.#strikeCall(strike, call);
  }

  #strikeCall(strike: Strike, call: FaultCall): Fault {
    const { fault, what } = planFault(strike, this.#stage.store.now());
    const record = this.#record(strike, subjectOf(call), what);
    if (strike.rule.kind.startsWith('client-crash')) this.#stage.crashClient?.(record);
    return fault;
  }

  #after(call: FaultCall, truth: WireAnswer | null): Fault | undefined {
    const stale = truth === null ? undefined : this.#staleFault(call, truth);
    const [strike] = this.#meet((rule) => AFTER.has(rule.kind), call);
    return strike ? this.#strikeCall(strike, call) : stale;
  }

  #staleFault(call: FaultCall, truth: WireAnswer): Fault | undefined {
    if (!isRead(call) || !this.#rules.some(isStale)) return undefined;
    const now = this.#stage.store.now();
    const strikes = this.#meet(isStale, call);
    const found = strikes.flatMap((strike) => {
      const answer = this.#stale.asOf(call, truth, now - Math.abs(strike.rule.ms ?? STALE_MS));
      return answer === null ? [] : [{ strike, answer }];
    });
    this.#stale.keep(call, truth, now);
    const first = found[0];
    if (!first) return undefined;
    this.#record(first.strike, subjectOf(call), 'answered as a copy that lags behind');
    const { status, body, headers } = first.answer;
    return { status, body, headers };
  }

  #meet(wanted: (rule: FaultRule) => boolean, call: FaultCall): Strike[] {
    const rules = this.#rules.filter((rule) => wanted(rule) && reaches(rule, call.operation, call.method));
    return this.#decider.meet(rules, subjectOf(call));
  }

  #hits(kind: FaultKind, delivery: Delivery, what: string): Strike | null {
    const subject = {
      on: delivery.action === null ? delivery.event : `${delivery.event}.${delivery.action}`,
      by: `app:${delivery.appSlug}`,
    };
    const [strike] = this.#decider.meet(
      this.#rules.filter((rule) => rule.kind === kind),
      subject,
    );
    if (!strike) return null;
    this.#record(strike, subject, what);
    return strike;
  }

  #lateness(delivery: Delivery): number {
    const strike = this.#hits('webhook-late', delivery, 'sent late');
    if (strike === null) return 0;
    // Between half and all of it: late deliveries overtake each other.
    return Math.round(Math.abs(strike.rule.ms ?? LATE_MS) * (0.5 + strike.dice('lateness') / 2));
  }

  #job(job: { readonly id: number; readonly name: string; readonly by: string }): void {
    const subject = { on: job.name, by: job.by };
    const rules = this.#rules.filter(({ kind }) => kind === 'runner-lost' || kind === 'job-stuck');
    const [strike] = this.#decider.meet(rules, subject);
    if (!strike) return;
    const lost = strike.rule.kind === 'runner-lost';
    this.#record(strike, subject, lost ? 'the runner was lost' : 'the job got stuck');
    if (lost) this.#stage.runners!.loseRunner(job.id);
    else this.#stage.runners!.stickJob(job.id);
  }

  #record({ rule, nth }: Strike, subject: Subject, what: string): FaultRecord {
    const record = { rule: rule.id, kind: rule.kind, ...subject, nth, at: this.#stage.store.now(), what };
    this.records.push(record);
    this.#stage.tell?.(record);
    return record;
  }
}

const isStale = (rule: FaultRule): boolean => rule.kind === 'stale-read' || rule.kind === 'run-not-listed';

const subjectOf = (call: FaultCall): Subject => ({ on: call.operation, by: call.principal });
