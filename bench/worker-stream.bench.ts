import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StreamReader } from '../src/worker/claude/stream.ts';
import { type Figure, median, rounded } from './support/figure.ts';

const total = 100 * 1024 * 1024;
const chunk = 256 * 1024;
const transcripts = join(import.meta.dirname, '..', 'fixtures', 'transcripts');

/** Bytes that are repeated to the length of a stream, in lines of one kind. */
const kinds: Readonly<Record<string, () => Buffer>> = {
  'a recorded run, but its first and last line': recordedMiddle,
  'tool results of 30 kB': () => lines(toolResult('const a = "b";\n'.repeat(2_000))),
  'partial messages of 300 B': () => lines(...Array.from({ length: 200 }, () => delta)),
  'answers of 2 MB': () => lines(answer('0123456789'.repeat(200_000))),
  garbage: () => Buffer.from(`${'{"type":"user","x'.repeat(20)}\n`.repeat(1000)),
};

const ids = {
  session_id: '00000000-0000-4000-8000-000000000001',
  uuid: '00000000-0000-4000-8000-000000000002',
};
const delta = {
  type: 'stream_event',
  event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'some more words' } },
  parent_tool_use_id: null,
  ...ids,
  ttft_ms: null,
};

/** A long run begins and ends but once. */
function recordedMiddle(): Buffer {
  const text = readFileSync(join(transcripts, 'recommended-argv.jsonl'), 'utf8');
  const middle = text.split('\n').filter((line) => !/"subtype":"init"|"type":"result"/.test(line));
  return Buffer.from(middle.join('\n'));
}

function toolResult(content: string): object {
  return {
    type: 'user',
    message: {
      role: 'user',
      content: [{ tool_use_id: 'toolu_1', type: 'tool_result', content, is_error: false }],
    },
    parent_tool_use_id: null,
    ...ids,
    tool_use_result: { stdout: content, stderr: '', interrupted: false },
  };
}

function answer(text: string): object {
  const usage = { input_tokens: 100, output_tokens: 1 };
  const message = { id: 'msg_1', model: 'claude-sonnet-4-5', content: [{ type: 'text', text }], usage };
  return { type: 'assistant', message, parent_tool_use_id: null, ...ids };
}

function lines(...events: readonly object[]): Buffer {
  return Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
}

/** A stream in the pieces that the tail hands over. */
function* pieces(repeated: Buffer): Generator<Buffer> {
  const buffer = Buffer.alloc(chunk);
  let from = 0;
  for (let done = 0; done < total; done += chunk) {
    for (let filled = 0; filled < chunk; ) {
      const copied = repeated.copy(buffer, filled, from);
      filled += copied;
      from = (from + copied) % repeated.length;
    }
    yield buffer;
  }
}

interface Pass {
  readonly megabytesPerCpuSecond: number;
  /** Most that heap and buffers together grew over what they were at the start. */
  readonly grownBytes: number;
}

/** CPU time of the reader alone: the machine may be busy with other things, and pieces have to be made. */
function pass(repeated: Buffer): Pass {
  const before = used();
  let grownBytes = 0;
  let cpu = 0;
  const reader = new StreamReader({ onNews: () => undefined, onProgress: () => undefined });
  let count = 0;
  for (const piece of pieces(repeated)) {
    const started = process.cpuUsage();
    reader.push(piece);
    const { user, system } = process.cpuUsage(started);
    cpu += user + system;
    count += 1;
    if (count % 20 === 0) grownBytes = Math.max(grownBytes, used() - before);
  }
  reader.end();
  return { megabytesPerCpuSecond: total / 1e6 / (cpu / 1e6), grownBytes };
}

function used(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

export async function run(): Promise<Figure[]> {
  return Object.entries(kinds).flatMap(([kind, make]) => {
    const repeated = make();
    pass(repeated);
    const passes = [1, 2, 3].map(() => pass(repeated));
    const speed = median(passes.map(({ megabytesPerCpuSecond }) => megabytesPerCpuSecond));
    const grown = Math.max(...passes.map(({ grownBytes }) => grownBytes));
    return [
      { name: `${kind}: per CPU second`, value: rounded(speed), unit: 'MB', goal: '100' },
      { name: `${kind}: memory grown over 100 MB`, value: rounded(grown / 1e6, 1), unit: 'MB', goal: 'flat' },
    ];
  });
}
