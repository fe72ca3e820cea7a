import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { usageSchema } from '../../src/worker/claude/events.ts';
import { eachField, skipValue, type TakeField } from '../../src/worker/claude/json-scan.ts';
import { classifyRun } from '../../src/worker/claude/outcome.ts';
import { outcomeTable } from '../../src/worker/claude/outcome-table.ts';
import { peekUsage } from '../../src/worker/claude/peek-usage.ts';
import type { ProgressEvent } from '../../src/worker/claude/progress-event.ts';
import { type StreamNews, StreamReader } from '../../src/worker/claude/stream.ts';

const folder = join(import.meta.dirname, '../../fixtures/transcripts');
const recorded = readdirSync(folder)
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => readFileSync(join(folder, name)))
  .filter((bytes) => bytes.length > 0 && bytes.length < 40_000);

/** All that a reader tells of these bytes, given in pieces cut at these places. */
function read(bytes: Buffer, cuts: readonly number[], maxLineBytes?: number) {
  const told: (ProgressEvent | StreamNews)[] = [];
  const reader = new StreamReader(
    { onNews: (news) => told.push(news), onProgress: (event) => told.push(event) },
    maxLineBytes,
  );
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort(
    (left, right) => left - right,
  );
  let start = 0;
  for (const place of [...places, bytes.length]) {
    // A copy that is spoilt afterwards, as a buffer is that is read into again.
    const piece = Buffer.from(bytes.subarray(start, place));
    reader.push(piece);
    piece.fill(0x7b);
    start = place;
  }
  reader.end();
  return { told, summary: reader.summary };
}

const cuts = fc.array(fc.nat(1_000_000), { maxLength: 60 });
/** A line as the CLI writes it, as it might, and as it never would. */
const line = fc.oneof(
  fc.constantFrom(...recorded).chain((bytes) => {
    const lines = bytes.toString('utf8').split('\n');
    return fc.constantFrom(...lines);
  }),
  fc.json({ depthSize: 'medium' }),
  fc.string({ unit: 'grapheme', maxLength: 80 }),
  fc
    .record({
      type: fc.constantFrom('assistant', 'user', 'system', 'stream_event', 'result', 'constructor'),
      subtype: fc.oneof(fc.constantFrom('init', 'api_retry', 'success', 'error_max_turns'), fc.jsonValue()),
      message: fc.jsonValue(),
      event: fc.jsonValue(),
      error: fc.jsonValue(),
      is_error: fc.jsonValue(),
    })
    .map((event) => JSON.stringify(event)),
);
const stream = fc.array(line, { maxLength: 12 }).map((lines) => Buffer.from(lines.join('\n')));

describe('the stream reader', () => {
  it('tells the same of a stream, however its bytes are cut', () => {
    fc.assert(
      fc.property(
        stream,
        cuts,
        fc.option(fc.integer({ min: 1, max: 2000 }), { nil: undefined }),
        (bytes, at, limit) => {
          expect(read(bytes, at, limit)).toEqual(read(bytes, [], limit));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('tells the same of a recorded run that comes byte by byte', () => {
    for (const bytes of recorded.filter(({ length }) => length < 4000).slice(0, 20)) {
      expect(read(bytes, [...bytes.keys()])).toEqual(read(bytes, []));
    }
  });

  it('never throws, whatever the bytes, and every ending is a row of the table', () => {
    const spoilt = fc
      .tuple(
        fc.constantFrom(...recorded),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 20 }),
      )
      .map(([bytes, changes]) => {
        const copy = Buffer.from(bytes);
        for (const [place, byte] of changes) copy[place % copy.length] = byte;
        return copy;
      });
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 400 }).map((array) => Buffer.from(array)),
      spoilt,
      stream,
    );
    fc.assert(
      fc.property(bytes, cuts, fc.option(fc.nat(255), { nil: null }), (given, at, exitCode) => {
        const { summary } = read(given, at);
        const exit = { kind: 'exited', exitCode, signal: null } as const;
        const outcome = classifyRun({ exit, summary, stopped: null, schemaAsked: false });
        expect(outcomeTable[outcome.reason].class).toBe(outcome.class);
        const { live } = summary;
        expect(Number.isSafeInteger(live.microUsd) && live.microUsd >= 0).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('counts every line that is no object, and none that is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.json(), fc.constantFrom('{', '{"a":1', '{"a":1}}', '{"a" 1}', 'x')), {
          maxLength: 20,
        }),
        (lines) => {
          const { summary } = read(Buffer.from(lines.map((text) => `${text}\n`).join('')), []);
          const objects = lines.filter((text) => isObject(text)).length;
          expect([summary.events, summary.unreadable]).toEqual([objects, lines.length - objects]);
        },
      ),
    );
  });
});

describe('looking into JSON without parsing it', () => {
  it('finds the same fields as a parser', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: fc.constantFrom('a', 'b', '_') }), fc.jsonValue()),
        fc.boolean(),
        (object, spaced) => {
          const bytes = Buffer.from(JSON.stringify(object, null, spaced ? 1 : 0));
          const found: [string, unknown][] = [];
          const take: TakeField<[string, unknown][]> = (into, from, keyStart, keyEnd, start, limit) => {
            const after = skipValue(from, start, limit);
            const key = from.toString('utf8', keyStart, keyEnd);
            into.push([key, JSON.parse(from.toString('utf8', start, after))]);
            return after;
          };
          const end = eachField(bytes, 0, bytes.length, take, found);
          expect(end).toBe(bytes.length);
          expect(found).toEqual(Object.entries(JSON.parse(bytes.toString('utf8'))));
        },
      ),
    );
  });

  it('counts tokens as the schema does', () => {
    const number = fc.oneof(
      fc.nat(),
      fc.double(),
      fc.constantFrom(-1, 1e21, 1e308, 2.5, 0.1),
      fc.jsonValue(),
    );
    const usage = fc.record(
      {
        input_tokens: number,
        output_tokens: number,
        cache_read_input_tokens: number,
        cache_creation_input_tokens: number,
        cache_creation: fc.oneof(fc.record({ ephemeral_1h_input_tokens: number }), fc.jsonValue()),
        server_tool_use: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(usage, (given) => {
        const bytes = Buffer.from(JSON.stringify(given));
        const plain = JSON.parse(bytes.toString('utf8'));
        expect(peekUsage(bytes, 0, bytes.length)).toEqual(usageSchema.parse(plain));
      }),
      { numRuns: 500 },
    );
  });

  it('steps over a text of any length with any escapes', () => {
    const pieces = ['"', '\\', 'é', '\n', '{', ']', 'x'.repeat(63), 'x'.repeat(64), 'é'.repeat(50)];
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (value) => {
        const bytes = Buffer.from(`${JSON.stringify(value)}"rest`);
        expect(skipValue(bytes, 0, bytes.length)).toBe(bytes.length - 5);
        expect(skipValue(bytes, 0, bytes.length - 6)).toBe(-1);
      }),
    );
  });
});

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
