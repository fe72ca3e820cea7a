import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admitResults } from '../../src/worker/batch/admit.ts';
import { type Item, readItems } from '../../src/worker/batch/item.ts';
import {
  type ItemStatus,
  type PartialName,
  partialText,
  readPartial,
} from '../../src/worker/batch/partial.ts';
import { PhaseControl, type PhaseStop } from '../../src/worker/batch/phase-control.ts';
import { orderPhases } from '../../src/worker/batch/phase-order.ts';
import type { BatchStrategy } from '../../src/worker/batch/pipeline.ts';
import { type Batch, planPhase } from '../../src/worker/batch/plan.ts';
import { type StoredPartial, scanPartials } from '../../src/worker/batch/scan.ts';
import { settleBatch } from '../../src/worker/batch/settle-batch.ts';
import { nothingUsed } from '../../src/worker/budget.ts';

const fields = { item_id: 'id', result_item: 'item' };
const parts = { prompt: 'p', model: 'm', schema: null };

const strategy: fc.Arbitrary<BatchStrategy> = fc.oneof(
  fc.record({ size: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ tokens: fc.integer({ min: 1, max: 40 }) }),
);

/** Items with a few ids that look alike as texts, and some without an id. */
const values = fc.uniqueArray(
  fc.record({
    id: fc.option(fc.oneof(fc.integer({ min: 0, max: 30 }), fc.string({ minLength: 1, maxLength: 3 }))),
    x: fc.nat(50),
  }),
  { selector: ({ id, x }) => (id === null ? `none ${x}` : `id ${id}`), maxLength: 14 },
);

/** What lies in the output folder: texts by name, as a run leaves them. */
class Folder {
  readonly #files: { name: PartialName; text: string }[] = [];
  #epoch = 1000;

  write(batch: Batch, statuses: readonly ItemStatus[], generation: number): void {
    const results = batch.items.flatMap(({ id }, at) =>
      statuses[at] === 'done' ? [{ item: id, generation }] : [],
    );
    const rest = statuses.find((status) => status !== 'done') ?? 'empty';
    const settled = settleBatch(batch.items, results, 'item', rest as Exclude<ItemStatus, 'done'>);
    this.#epoch += 1;
    const name = { phase: 'one', worker: batch.worker, batch: batch.index, epoch: this.#epoch };
    const metadata = {
      phase: 'one',
      worker_id: batch.worker,
      batch_index: batch.index,
      item_count: batch.items.length,
      timestamp: '',
      processed_ids: settled.items.filter(({ status }) => status === 'done').map(({ id }) => id),
      items: [...settled.items],
      invalid: [],
      reason: 'completed',
      attempts: 1,
      max_turns: 5,
      model: null,
      micro_usd: null,
      estimated: false,
    };
    this.#files.push({ name, text: partialText('results', { metadata, results }) });
  }

  cut(at: number, length: number): void {
    const file = this.#files[at % Math.max(1, this.#files.length)];
    if (file !== undefined) file.text = file.text.slice(0, length);
  }

  read(): StoredPartial[] {
    return this.#files.flatMap(({ name, text }, at) => {
      const read = readPartial(text, 'results');
      return read.kind === 'partial' ? [{ file: `f${at}`, name, partial: read.partial }] : [];
    });
  }
}

const admitted = (items: readonly Item[], folder: Folder) =>
  admitResults(items, scanPartials(folder.read(), fields), { check: () => null, known: new Map() })
    .results as {
    item: string;
    generation: number;
  }[];

describe('planner and resume', () => {
  it('loses no item and does none twice, wherever a run is cut and whatever fails', () => {
    const run = fc.record({
      workers: fc.integer({ min: 1, max: 5 }),
      batch: strategy,
      cut: fc.nat(14),
      outcomes: fc.array(fc.constantFrom<ItemStatus>('done', 'done', 'done', 'empty', 'failed'), {
        minLength: 14,
        maxLength: 14,
      }),
    });
    fc.assert(
      fc.property(
        values,
        fc.array(run, { maxLength: 6 }),
        fc.array(fc.tuple(fc.nat(20), fc.nat(200)), { maxLength: 2 }),
        (input, runs, cuts) => {
          const { items } = readItems(input, { item_id: 'id' }, parts);
          const folder = new Folder();
          for (const [generation, { workers, batch, cut, outcomes }] of runs.entries()) {
            const doneBefore = new Set(admitted(items, folder).map(({ item }) => item));
            const plan = planPhase(items, scanPartials(folder.read(), fields), {
              workers,
              batch,
              maxTurns: 5,
              force: false,
            });
            const queued = plan.queues.flat().flatMap((one) => one.items.map(({ id }) => id));
            // Every item is either done or in exactly one queue; what is done and has an id is in none.
            expect(new Set(queued).size).toBe(queued.length);
            expect([...queued, ...plan.done.map(({ id }) => id)].sort()).toEqual(
              items.map(({ id }) => id).sort(),
            );
            for (const item of items)
              if (item.named && doneBefore.has(item.id)) expect(queued).not.toContain(item.id);
            expect(
              plan.queues.every((queue, worker) => queue.every(({ index }) => index % workers === worker)),
            ).toBe(true);
            for (const one of plan.queues.flat().slice(0, cut))
              folder.write(one, outcomes.slice(0, one.items.length), generation);
          }
          for (const [at, length] of cuts) folder.cut(at, length);
          const options = { workers: 2, batch: { size: 2 }, maxTurns: 5, force: false };
          const last = planPhase(items, scanPartials(folder.read(), fields), options);
          for (const one of last.queues.flat())
            folder.write(
              one,
              one.items.map(() => 'done'),
              99,
            );
          // The same set as an uncut run gives, in the order of the input, each item once.
          expect(admitted(items, folder).map(({ item }) => item)).toEqual(items.map(({ id }) => id));
          // What has no id is done in every run, and its newest work counts.
          const unnamed = new Set(items.filter(({ named }) => !named).map(({ id }) => id));
          const generations = admitted(items, folder).filter(({ item }) => unnamed.has(item));
          expect(generations.every(({ generation }) => generation === 99)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('does an item again exactly when it, prompt, model or schema is another', () => {
    const change = fc.constantFrom('item', 'prompt', 'model', 'schema', 'nothing');
    fc.assert(
      fc.property(values, change, fc.nat(20), (input, what, at) => {
        fc.pre(input.length > 0 && input.every(({ id }) => id !== null));
        const { items } = readItems(input, { item_id: 'id' }, parts);
        const folder = new Folder();
        const options = { workers: 1, batch: { size: 1 }, maxTurns: 5, force: false };
        for (const one of planPhase(items, scanPartials([], fields), options).queues.flat())
          folder.write(one, ['done'], 0);
        const changedAt = at % input.length;
        const nextInput = input.map((one, index) =>
          what === 'item' && index === changedAt ? { ...one, x: one.x + 1 } : one,
        );
        const nextParts = what === 'item' || what === 'nothing' ? parts : { ...parts, [what]: 'other' };
        const next = readItems(nextInput, { item_id: 'id' }, nextParts).items;
        const plan = planPhase(next, scanPartials(folder.read(), fields), options);
        const expected =
          what === 'nothing'
            ? []
            : what === 'item'
              ? [String(input[changedAt]!.id)]
              : next.map(({ id }) => id);
        expect(plan.todo.map(({ id }) => id)).toEqual(expected);
        expect(plan.changed).toEqual(plan.todo);
      }),
    );
  });

  it('reads back what was written, and takes nothing from a text that was cut', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.nat(), (results, at) => {
        const metadata = {
          phase: 'one',
          worker_id: 0,
          batch_index: 0,
          item_count: 1,
          timestamp: 't',
          processed_ids: [],
          invalid: [],
          reason: 'r',
          attempts: 1,
          max_turns: 1,
          model: null,
          micro_usd: null,
          estimated: false,
        };
        const text = partialText('results', { metadata, results });
        expect(readPartial(text, 'results')).toEqual({
          kind: 'partial',
          partial: { metadata, results: JSON.parse(JSON.stringify(results)) },
        });
        expect(readPartial(text.slice(0, at % (text.length - 1)), 'results').kind).toBe('corrupt');
      }),
    );
  });
});

it('orders phases after what they need, each once, or names a circle that is one', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const arrow = fc.tuple(fc.constantFrom(...names), fc.constantFrom(...names));
  fc.assert(
    fc.property(fc.array(arrow, { maxLength: 8 }), fc.option(fc.constantFrom(...names)), (arrows, target) => {
      const needs = (name: string) => arrows.flatMap(([from, to]) => (from === name ? [to] : []));
      const phases = names.map((name) => ({ name, input: { files: 'x' }, depends_on: needs(name) }));
      const order = orderPhases(phases, target);
      if (order.kind === 'cycle') {
        expect(order.names[0]).toBe(order.names.at(-1));
        for (const [at, name] of order.names.slice(0, -1).entries())
          expect(needs(name)).toContain(order.names[at + 1]);
        return;
      }
      const found = order.kind === 'ordered' ? order.phases.map(({ name }) => name) : [];
      expect(new Set(found).size).toBe(found.length);
      for (const [at, name] of found.entries())
        for (const other of needs(name)) expect(found.indexOf(other)).toBeLessThan(at);
      if (target === null) expect([...found].sort()).toEqual(names);
      else expect(found.at(-1)).toBe(target);
    }),
  );
});

describe('what the workers of a phase share', () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constantFrom('success' as const, 'failure' as const, 'retry' as const, 'empty' as const),
    }),
    fc.record({ kind: fc.constant('charge' as const), microUsd: fc.nat(100) }),
  );

  it('tells each kind of stop once, in the step that crosses its limit, and starts nothing afterwards', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
        const told: PhaseStop[] = [];
        const runMoney = { maxMicroUsd: 300, spent: 0 };
        const control = new PhaseControl({
          limits: { consecutiveFailures: 3, totalRetries: 6, consecutiveEmpty: 2 },
          maxMicroUsd: 200,
          runMoney,
          cacheReadGuard: 0,
          onStop: (stop) => told.push(stop),
        });
        const seen = { failures: 0, retries: 0, empty: 0, spent: 0, trips: false };
        for (const one of steps) {
          if (one.kind === 'charge') {
            const live = { used: () => ({ ...nothingUsed, cacheReadTokens: 0 }) };
            control.begin(live);
            control.charge(live, { ...nothingUsed, microUsd: one.microUsd }, 0);
            seen.spent += one.microUsd;
          } else {
            control.step(one.kind);
            if (!seen.trips) {
              if (one.kind === 'success') [seen.failures, seen.empty] = [0, 0];
              else if (one.kind === 'failure') seen.failures += 1;
              else if (one.kind === 'retry') seen.retries += 1;
              else seen.empty += 1;
            }
            seen.trips ||= seen.failures >= 3 || seen.retries >= 6 || seen.empty >= 2;
          }
          expect(told.some(({ kind }) => kind === 'breaker')).toBe(seen.trips);
          expect(told.some(({ kind }) => kind === 'budget')).toBe(seen.spent > 200);
          expect(new Set(told.map(({ kind }) => kind)).size).toBe(told.length);
          expect(control.mayStart).toBe(told.length === 0);
          expect(control.used.microUsd ?? 0).toBe(seen.spent);
        }
      }),
    );
  });
});
