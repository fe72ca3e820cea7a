import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ScriptedModel, startModel } from '../support/scripted-model/start.ts';
import {
  type BatchWorld,
  items,
  onePhase,
  openBatchWorld,
} from '../unit/worker/batch/support/batch-world.ts';
import { installClaude } from './support/install-claude.ts';

let program = '';
let world: BatchWorld;
let model: ScriptedModel | null = null;

beforeAll(async () => {
  program = await installClaude();
});
beforeEach(async () => {
  world = await openBatchWorld();
});
afterEach(async () => {
  await model?.close();
  model = null;
  await world.close();
});

/** One phase worked on by the real CLI; the model answers by what its prompt holds. */
async function run(pipeline: unknown, script: unknown) {
  model = await startModel({ default: script });
  return world.run(pipeline, { program, modelUrl: new URL(model.url) });
}

/** The clock of the batch tests hurries: fifty of these seconds are one. */
const patient = { silence_seconds: 6000, timeout_seconds: 12_000 };
const usage = { input_tokens: 1000, output_tokens: 100 };
const structured = (results: readonly unknown[]) => ({
  tool: { name: 'StructuredOutput', input: { results } },
});
const schema = {
  type: 'object',
  properties: { n: { $ref: '#/$defs/n' } },
  required: ['n'],
  $defs: { n: { type: 'integer' } },
};

describe('the real CLI in batches', () => {
  it('answers to the schema of its phase, two at once, metered on the wire, and leaves nothing', async () => {
    await world.write('items.ndjson', items(2, {}));
    await writeFile(join(world.dir, 'schema.json'), JSON.stringify(schema));
    const end = await run(onePhase({ ...patient, schema: 'schema.json' }, { workers: 2 }), {
      usage,
      turns: [],
      routes: [
        { when: '{"id":"i0"}', turns: [structured([{ n: 0 }]), { text: 'Done.' }] },
        {
          when: '{"id":"i1"}',
          turns: [structured([{ n: 'no' }]), structured([{ n: 1 }]), { text: 'Done.' }],
        },
      ],
    });
    expect(end).toMatchObject({ state: 'completed', exitCode: 0 });
    expect(end.phases[0]?.results).toEqual([{ n: 0 }, { n: 1 }]);
    const posts = model!.requests.filter(({ method }) => method === 'POST').length;
    // 1000 tokens at 3 and 100 at 15 dollars a million, each answer.
    expect(end.phases[0]?.lifetimeMicroUsd).toBe(posts * 4500);
    const marked = readdirSync('/proc').filter((pid) => {
      try {
        return (
          /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${world.dir}/temp`)
        );
      } catch {
        return false;
      }
    });
    expect(marked).toEqual([]);
  });

  it('keeps what it wrote down before its turns ran out', async () => {
    await world.write('items.ndjson', items(1, {}));
    const saved = JSON.stringify({ results: [{ n: 7 }] });
    const save = { tool: { name: 'Write', input: { file_path: '{{cwd}}/results.json', content: saved } } };
    const look = { tool: { name: 'Read', input: { file_path: '{{cwd}}/results.json' } }, times: 'forever' };
    const end = await run(onePhase({ ...patient, tools: ['Read', 'Write'], max_turns: 3 }), {
      usage,
      turns: [save, look],
    });
    expect(end.phases[0]).toMatchObject({ items: { done: 1, maxTurns: 0 }, results: [{ n: 7 }] });
    expect((await world.partials())[0]?.value.metadata).toMatchObject({ reason: 'max-turns', attempts: 1 });
  });

  it('saves the answer by which the budget is crossed', async () => {
    await world.write('items.ndjson', items(2, {}));
    const dear = { input_tokens: 1000, output_tokens: 10_000 };
    const text = '```json\n{"results": [{"n": 1}]}\n```';
    const end = await run(onePhase({ ...patient, budget: 0.1 }), {
      usage: dear,
      turns: [{ text, times: 'forever' }],
    });
    expect(end).toMatchObject({ state: 'budget-exceeded', exitCode: 64, costUsd: 0.153 });
    expect(end.phases[0]).toMatchObject({ items: { done: 1, notStarted: 1 }, results: [{ n: 1 }] });
  });
});
