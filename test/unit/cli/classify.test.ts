import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ccd, root, runIn } from './support/run-cli.ts';

const recorded = join(root, 'fixtures', 'transcripts');
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ccd-classify-'));
});
afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

const result = { type: 'result', subtype: 'success', is_error: false, result: 'done', num_turns: 1 };
const run = (name: string, expected: object, more: object = {}) => ({
  name,
  file: 'run.jsonl',
  exit_code: 0,
  expected,
  ...more,
});

async function folderWith(name: string, manifest: string | object): Promise<string> {
  const folder = join(dir, name);
  await mkdir(folder);
  await writeFile(join(folder, 'run.jsonl'), JSON.stringify(result));
  await writeFile(
    join(folder, 'manifest.json'),
    typeof manifest === 'string' ? manifest : JSON.stringify(manifest),
  );
  return folder;
}

describe('ccd classify', () => {
  it('finds every recorded run judged as expected', async () => {
    const plain = await runIn(dir, ccd('classify', recorded));
    expect([plain.exitCode, plain.stdout, plain.stderr]).toEqual([0, '108 judged, 108 right, 0 wrong', '']);
    const json = await runIn(dir, ccd('classify', recorded, '--json'));
    expect([json.exitCode, JSON.parse(json.stdout)]).toEqual([0, { total: 108, right: 108, wrong: [] }]);
  });

  it('names what is judged otherwise, by class or by retry, and ends with 1', async () => {
    const folder = await folderWith('wrong', {
      scenarios: [
        run('right', { class: 'success', reason: 'whatever', retry: false }),
        run('other class', { class: 'empty', reason: 'empty_result', retry: false }),
        run('other\u001b[2J retry', { class: 'success', retry: true }),
      ],
    });
    const plain = await runIn(dir, ccd('classify', folder));
    expect([plain.exitCode, plain.stdout.split('\n')]).toEqual([
      1,
      [
        'other class: expected empty (empty_result, no retry), got success (completed, no retry)',
        'other [2J retry: expected success (no reason, retry), got success (completed, no retry)',
        '3 judged, 1 right, 2 wrong',
      ],
    ]);
    const json = await runIn(dir, ccd('classify', folder, '--json'));
    const got = { class: 'success', reason: 'completed', retry: false };
    expect(JSON.parse(json.stdout)).toEqual({
      total: 3,
      right: 1,
      wrong: [
        { name: 'other class', expected: { class: 'empty', reason: 'empty_result', retry: false }, got },
        { name: 'other\u001b[2J retry', expected: { class: 'success', reason: '', retry: true }, got },
      ],
    });
  });

  it('looks at signals, a schema that was asked for, and the work tree', async () => {
    const expected = (kind: string, retry = false) => ({ class: kind, retry });
    const folder = await folderWith('evidence', {
      scenarios: [
        run('signal after the result', expected('success'), { sent_signal: 'SIGTERM', exit_code: 143 }),
        run('killed by us', expected('cancelled'), {
          file: 'nothing.jsonl',
          sent_signal: 'SIGKILL',
          exit_code: null,
          signal: 'SIGKILL',
        }),
        run('killed', expected('transient', true), {
          file: 'nothing.jsonl',
          exit_code: null,
          signal: 'SIGKILL',
        }),
        run('schema', expected('deterministic'), { argv: ['claude', '--json-schema={}'] }),
        run('denied path committed', expected('deterministic'), {
          argv: ['claude', '--settings=/opt/s.json'],
          files: { '/opt/s.json': '{"permissions":{"deny":["Edit(./ci/**)","Read(src/**)"]}}' },
          git: { status: [' M src/a.mjs'], committed: ['ci/build.yml'] },
        }),
        run('denied path left alone', expected('success'), {
          argv: ['claude', '--settings=/opt/s.json'],
          files: { '/opt/s.json': '{"permissions":{"deny":["Edit(./ci/**)","Read(src/**)"]}}' },
          git: { status: ['R  src/a.mjs -> src/b.mjs'] },
        }),
      ],
    });
    await writeFile(join(folder, 'nothing.jsonl'), '');
    const json = await runIn(dir, ccd('classify', folder, '--json'));
    expect(JSON.parse(json.stdout)).toEqual({ total: 6, right: 6, wrong: [] });
  });

  it('ends with 2 and one clear sentence when there is nothing to judge', async () => {
    const noFile = await folderWith('no-file', {
      scenarios: [run('x', { class: 'success', retry: false }, { file: 'gone.jsonl' })],
    });
    const outside = await folderWith('outside', {
      scenarios: [run('x', { class: 'success', retry: false }, { file: '../wrong/run.jsonl' })],
    });
    const bad: [string, RegExp][] = [
      [join(dir, 'none'), /none cannot be read \(ENOENT\)\./],
      [join(noFile, 'run.jsonl'), /run\.jsonl cannot be read \(it is no folder\)\./],
      [dir, /manifest\.json cannot be read \(ENOENT\)\./],
      [await folderWith('no-json', '{'), /manifest\.json cannot be used \(it is no JSON\)\./],
      [await folderWith('empty', { scenarios: [] }), /cannot be used \(scenarios: /],
      [await folderWith('odd', { scenarios: [{ name: 'x' }] }), /cannot be used \(scenarios\.0\.expected: /],
      [noFile, /gone\.jsonl cannot be read \(ENOENT\)\./],
      [outside, /scenarios\.0\.file: it has to lie in the folder itself/],
    ];
    for (const [folder, sentence] of bad) {
      const ended = await runIn(dir, ccd('classify', folder, '--json'));
      expect(ended.stderr).toMatch(sentence);
      expect(ended.stderr).toMatch(/^ccd: .*[.]$/);
      expect(ended.exitCode).toBe(2);
      expect(JSON.parse(ended.stdout)).toMatchObject({
        error: { code: expect.stringMatching(/^classify\./) },
      });
    }
  });

  it('helps with an example that works', async () => {
    const help = await runIn(dir, ccd('classify', '--help'));
    expect([help.exitCode, help.stdout]).toEqual([
      0,
      expect.stringContaining('ccd classify fixtures/transcripts --json'),
    ]);
  });

  it('judges a copy the same after its streams lost their last bytes, and never better', async () => {
    const folder = join(dir, 'cut');
    await cp(recorded, folder, { recursive: true });
    const { scenarios } = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as {
      scenarios: { file: string; expected: { class: string } }[];
    };
    for (const { file } of scenarios) {
      const bytes = await readFile(join(folder, file));
      await writeFile(join(folder, file), bytes.subarray(0, Math.max(0, bytes.length - 40)));
    }
    const json = await runIn(dir, ccd('classify', folder, '--json'));
    const { wrong } = JSON.parse(json.stdout) as { wrong: { got: { class: string } }[] };
    const success = scenarios.filter(({ expected }) => expected.class === 'success').length;
    expect(wrong.length).toBeGreaterThan(success - 5);
    expect(wrong.filter(({ got }) => got.class === 'success')).toEqual([]);
  });
});
