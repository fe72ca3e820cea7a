import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSteadyClock, systemClock } from '../../../src/host/clock.ts';
import { asDiskFault, writeFileAtomic } from '../../../src/host/files.ts';
import { createLog } from '../../../src/host/log.ts';
import { createRedactor, textOf } from '../../../src/host/redact.ts';
import { removeTree } from '../../../src/host/remove-tree.ts';
import { shellQuote } from '../../../src/host/shell-quote.ts';
import { tailBytes } from '../../../src/host/tail.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ccd-host-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('atomic writes', () => {
  it('replace a file whole and leave nothing beside it', async () => {
    const path = join(folder, 'a.json');
    await writeFileAtomic(path, 'one');
    await writeFileAtomic(path, 'two');
    expect(readFileSync(path, 'utf8')).toBe('two');
    expect(readdirSync(folder)).toEqual(['a.json']);
  });

  it('leave the old content and no half of the new when writing fails', async () => {
    writeFileSync(join(folder, 'file'), 'x');
    await expect(writeFileAtomic(join(folder, 'file', 'below'), 'x')).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it.each(['ENOSPC', 'EDQUOT'])('tell the operator about a full disk (%s)', (code) => {
    const fault = asDiskFault(Object.assign(new Error('full'), { code }), '/data/file');
    expect(fault).toMatchObject({ code: 'host.disk-full', audience: 'operator' });
  });

  it('pass other errors through', () => {
    const error = new Error('other');
    expect(asDiskFault(error, 'x')).toBe(error);
  });
});

describe('tailing', () => {
  it('gives every byte of a file that grows, in order, to its very end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 160 }),
        fc.integer({ min: 1, max: 9 }),
        async (bytes, size) => {
          const path = join(folder, 'grow');
          writeFileSync(path, '');
          const ended = new AbortController();
          const seen: Buffer[] = [];
          const reading = (async () => {
            for await (const chunk of tailBytes(path, {
              clock: systemClock,
              pollMs: 1,
              writerEnded: ended.signal,
            }))
              seen.push(Buffer.from(chunk));
          })();
          for (let at = 0; at < bytes.length; at += size) {
            appendFileSync(path, bytes.subarray(at, at + size));
            if (at % 3 === 0) await systemClock.sleep(0);
          }
          ended.abort();
          await reading;
          expect(Buffer.concat(seen)).toEqual(Buffer.from(bytes));
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('a tail that never ends', () => {
  it('is given up at its limit, and said once', async () => {
    const path = join(folder, 'endless');
    writeFileSync(path, 'one\n');
    truncateSync(path, 2 ** 40);
    let tooMuch = 0;
    let seen = 0;
    const options = {
      clock: systemClock,
      writerEnded: AbortSignal.abort(),
      maxBytes: 1024 * 1024,
      onTooMuch: () => {
        tooMuch += 1;
      },
    };
    for await (const chunk of tailBytes(path, options)) seen += chunk.length;
    expect([tooMuch, seen > 1024 * 1024, seen < 2 * 1024 * 1024]).toEqual([1, true, true]);
  });
});

// Put together here, so that this file holds nothing shaped like a secret.
const join2 = (...parts: string[]) => parts.join('');
const samples: Record<string, string> = {
  'github-token': join2('gh', 'p_', 'a1B2'.repeat(9)),
  'anthropic-key': join2('sk-', 'ant-', 'api03-', 'a1B2-_'.repeat(8)),
  'aws-key': join2('AK', 'IA', 'ABCDEFGHIJKLMNOP'),
  'npm-token': join2('np', 'm_', 'a1B2'.repeat(9)),
  'private-key': join2(
    '-----BEGIN ',
    'RSA PRIVATE KEY-----\n',
    'MIIE'.repeat(20),
    '\n-----END RSA PRIVATE KEY-----',
  ),
};

describe('secrets', () => {
  const known = 'correct horse/battery+staple';
  const redactor = createRedactor([known, 'short', '']);

  it.each(Object.entries(samples))('finds and cleans a %s in text and in bytes', (name, sample) => {
    const text = `before ${sample} after`;
    const bytes = Buffer.concat([Buffer.from([0xff, 0]), Buffer.from(text), Buffer.from([0xfe])]);
    for (const content of [text, textOf(bytes)]) {
      expect(redactor.matches(content)).toEqual([{ name, value: sample }]);
    }
    expect(redactor.clean(text)).toBe('before *** after');
  });

  it.each([
    ['as it is', known],
    ['as base64', Buffer.from(known).toString('base64')],
    ['for an address', encodeURIComponent(known)],
  ])('finds a known value %s', (_how, spelled) => {
    expect(redactor.matches(`x ${spelled} y`)).toMatchObject([{ name: 'known-secret' }]);
    expect(redactor.clean(`x ${spelled} y`)).not.toContain(spelled.slice(0, 20));
  });

  it('leaves ordinary text alone', () => {
    const text =
      'short words, AKIA, ghp_, sk-ant-x, a BEGIN PUBLIC KEY, -----BEGIN PRIVATE KEY----- as a heading that words follow, and npm_config_cache';
    expect(redactor.matches(text)).toEqual([]);
    expect(redactor.clean(text)).toBe(text);
  });

  it('never lets a known value through, wherever it stands', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        expect(redactor.clean(before + known + after)).not.toContain(known);
      }),
    );
  });
});

describe('the log', () => {
  it('writes one line for each message, clean, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const lines: string[] = [];
        createLog(
          (line) => lines.push(line),
          () => 0,
          createRedactor(['topsecret1']).clean,
        ).warn(`${text}\n::error::topsecret1`, { text });
        expect(lines.length).toBe(1);
        expect(lines[0]?.indexOf('\n')).toBe((lines[0]?.length ?? 0) - 1);
        expect(lines[0]?.startsWith('{')).toBe(true);
        expect(lines[0]).not.toContain('topsecret1');
      }),
    );
  });

  it('holds nothing that a runner takes for a command, in either of its two forms', () => {
    const lines: string[] = [];
    const log = createLog(
      (line) => lines.push(line),
      () => 0,
      (text) => text,
    );
    const hostile = '##[add-mask]e ###[set-env name=A]b ::add-mask::x ##[##[stop-commands]y';
    log.error(hostile, { paths: [hostile], [hostile]: 1 });
    expect(lines.join('')).not.toMatch(/##\[|^\s*::/m);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: hostile, paths: [hostile], [hostile]: 1 });
  });
});

describe('shell words', () => {
  it('hold any text', () => {
    expect(shellQuote(`it's $(rm -rf "x") \\`)).toBe(`'it'\\''s $(rm -rf "x") \\'`);
  });
});

describe('removing what hostile programs left', () => {
  it('takes away any depth, any name and any closed folder, and follows no link', async () => {
    const hostile = join(folder, 'hostile');
    mkdirSync(hostile);
    writeFileSync(join(folder, 'outside'), 'kept');
    const script = [
      'import os, sys',
      'os.chdir(sys.argv[1])',
      'os.mkdir("shut"); open("shut/x", "w").close(); os.chmod("shut", 0)',
      'open(b"bad-\\xff\\xfe", "w").close(); os.mkdir(b"dir-\\xff"); open(b"dir-\\xff/x", "w").close()',
      'os.symlink("..", "up"); os.symlink("../outside", "file")',
      'for _ in range(120):',
      '    os.mkdir("n" * 200); os.chdir("n" * 200); os.symlink("/", "root")',
      'open("leaf", "w").close()',
    ];
    execFileSync('python3', ['-c', script.join('\n'), hostile]);
    await removeTree(hostile);
    expect(readdirSync(folder)).toEqual(['outside']);
    await removeTree(hostile);
    await removeTree(join(folder, 'outside'));
    expect(readdirSync(folder)).toEqual([]);
  });
});

it('a steady clock starts from the host, and its time is that which really passed', () => {
  let passed = 5000;
  const clock = createSteadyClock(() => passed, Date.parse('2026-11-30T12:00:00Z'));
  passed += 1500;
  expect(new Date(clock.now()).toISOString()).toBe('2026-11-30T12:00:01.500Z');
});
