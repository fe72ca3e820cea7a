import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { JobLog } from '../../../../src/local/actions/runner/job-log.ts';
import { LineReader } from '../../../../src/local/actions/runner/line-reader.ts';
import { Masks } from '../../../../src/local/actions/runner/masks.ts';
import { readJobFile } from '../../../../src/local/actions/runner/read-job-file.ts';
import { expandMatrix } from '../../../../src/local/actions/runs/matrix.ts';
import { matchesFilters } from '../../../../src/local/actions/trigger/filter-pattern.ts';
import { readWorkflow } from '../../../../src/local/actions/workflow/parse-workflow.ts';
import { tooMuchYaml } from '../../../../src/local/actions/workflow/yaml-bounds.ts';
import { jobOf, logText, openWorld } from './support/actions-world.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('a matrix', () => {
  it('makes 256 jobs at most, however they come about', () => {
    expect(expandMatrix({ a: numbers(16), b: numbers(16) })).toHaveLength(256);
    expect(() => expandMatrix({ a: numbers(257) })).toThrow('256');
    expect(() => expandMatrix({ include: numbers(257).map((a) => ({ a })) })).toThrow('256');
    const axes = numbers(20).map((axis) => [`a${axis}`, numbers(20)] as const);
    expect(() => expandMatrix(Object.fromEntries(axes))).toThrow('256');
  });

  it('counts what is left of it', () => {
    const exclude = numbers(44).map((b) => ({ a: 0, b }));
    expect(expandMatrix({ a: numbers(3), b: numbers(100), exclude })).toHaveLength(256);
  });
});

describe('lines of a step', () => {
  const linesOf = (chunks: Iterable<string>): string[] => {
    const lines: string[] = [];
    const reader = new LineReader((line) => lines.push(line));
    for (const chunk of chunks) reader.take(chunk);
    reader.close();
    return lines;
  };

  it('are the same however they are cut', () => {
    const whole = 'one\r\n\ntwo\nthree';
    expect(linesOf([whole])).toEqual(['one', '', 'two', 'three']);
    expect(linesOf(whole)).toEqual(['one', '', 'two', 'three']);
    expect(linesOf(['one\n'])).toEqual(['one']);
  });

  it('of fifty million characters come in parts, and soon', () => {
    const began = performance.now();
    const lines = linesOf(numbers(800).map(() => 'x'.repeat(65_536)));
    expect(lines.length).toBe(50);
    expect(lines.join('').length).toBe(800 * 65_536);
    expect(performance.now() - began).toBeLessThan(3_000);
  });
});

describe('what a job says', () => {
  it('is kept up to an end, which the log tells', () => {
    const job = { log: [] as string[], annotations: [] as { message: string }[] };
    const log = new JobLog(
      job as never,
      new Masks(),
      () => 0,
      () => undefined,
      1_000,
    );
    for (const index of numbers(100)) log.line(`line ${index}`);
    log.error('of the runner');
    expect(job.log.at(0)).toMatch(/line 0$/);
    expect(job.log.at(-1)).toMatch(/The log is too long/);
    expect(job.log.join('\n').length).toBeLessThan(1_200);
    expect(job.annotations.map((one) => one.message)).toEqual(['of the runner']);
  });

  it('becomes ten annotations of each level for a step, fifty for a job', async () => {
    const world = await openWorld();
    world.runner();
    const step = '{run: "for n in $(seq 15); do echo ::error::e$n; echo ::notice::n$n; done"}';
    const run = await world.runWorkflow(
      `on: push\njobs:\n  a: {runs-on: ubuntu-latest, steps: [${Array(4).fill(step).join(', ')}]}\n`,
    );
    const { annotations } = jobOf(run, 'a');
    expect(annotations.slice(0, 20).filter((one) => one.annotation_level === 'notice')).toHaveLength(10);
    expect(annotations).toHaveLength(50);
    expect(logText(jobOf(run, 'a')).match(/##\[error\]e15/g)).toHaveLength(4);
    await world.close();
  });
});

it('a filter pattern takes no time that grows with what it could fit', () => {
  const began = performance.now();
  expect(matchesFilters('a'.repeat(200), [`${'a?'.repeat(40)}${'*a'.repeat(40)}b`])).toBe(false);
  expect(matchesFilters('a+', ['[z-a]', '*+', 'a\\+'])).toBe(true);
  expect(performance.now() - began).toBeLessThan(500);
});

describe('a workflow file', () => {
  const nine = (name: string): string => `[${Array(9).fill(name).join(',')}]`;

  it.each([
    [
      'stands for millions',
      [
        `a: &a ${nine('x')}`,
        ...'bcdefgh'.split('').map((name, index) => `${name}: &${name} ${nine(`*${'abcdefg'[index]}`)}`),
      ].join('\n'),
    ],
    ['stands for itself', 'on: push\njobs: &j\n  a: *j\n'],
    ['is deep', `on: push\njobs: ${'{a: '.repeat(20_000)}${'}'.repeat(20_000)}\n`],
  ])('that %s is refused before it is read', async (_, text) => {
    const reading = await readWorkflow('w.yml', text);
    expect([reading.kind, ...(reading.kind === 'invalid' ? reading.problems : [])]).toEqual([
      'invalid',
      expect.stringMatching(/^The file (stands for|is nested)/),
    ]);
  });

  it('may say things once', async () => {
    const text =
      'on: push\njobs:\n  a: &a\n    runs-on: ubuntu-latest\n    steps: &s [{ run: echo }]\n  b: *a\n  c: { runs-on: ubuntu-latest, steps: *s }\n';
    expect(tooMuchYaml(text)).toBeNull();
  });
});

describe('a file that a job left', () => {
  it('is read when it is a plain one, and nothing else is waited for', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'ccd-job-file-'));
    await promisify(execFile)('mkfifo', [join(dir, 'pipe')]);
    await symlink('/dev/zero', join(dir, 'device'));
    await writeFile(join(dir, 'plain'), 'a=b\n');
    await writeFile(join(dir, 'large'), '');
    await truncate(join(dir, 'large'), 20_000_000);
    const read = (name: string) => readJobFile(join(dir, name));
    expect(await read('plain')).toBe('a=b\n');
    for (const name of ['pipe', 'device', 'large', 'missing', '.'])
      expect([name, await read(name)]).toEqual([name, null]);
    await rm(dir, { recursive: true });
  });
});
