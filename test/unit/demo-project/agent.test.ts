import { existsSync, readFileSync, unlinkSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentPath, createDemoRepository, runAgent, startAgent, titleOf } from './demo-repository.ts';

let repository: Awaited<ReturnType<typeof createDemoRepository>>;
beforeEach(async () => {
  repository = await createDemoRepository();
});
afterEach(() => repository.remove());

/** Resolves when the file exists, by the file system's own word. */
async function appears(folder: string, name: string): Promise<void> {
  if (existsSync(join(folder, name))) return;
  await new Promise<void>((resolve) => {
    const watcher = watch(folder, () => {
      if (!existsSync(join(folder, name))) return;
      watcher.close();
      resolve();
    });
    if (existsSync(join(folder, name))) {
      watcher.close();
      resolve();
    }
  });
}

test('says plainly what it is', async () => {
  expect((await execa(agentPath, ['--version'])).stdout).toBe('0.0.0 (scripted agent of ccd)');
});

test('speaks the stream of the real CLI: init, assistant, tool results, one result, no cost', async () => {
  const run = await runAgent(repository.dir, titleOf('fix'));
  expect(run.exitCode).toBe(0);
  expect(run.events[0]).toMatchObject({ type: 'system', subtype: 'init', cwd: repository.dir });
  expect(run.events.filter(({ type }) => type === 'user').length).toBe(2);
  expect(run.events.filter(({ type }) => type === 'result').length).toBe(1);
  expect(run.events.at(-1)).toMatchObject({ type: 'result', subtype: 'success', is_error: false });
  expect(run.events.at(-1)).not.toHaveProperty('total_cost_usd');
});

test('takes session and model from the arguments and ignores what it does not know', async () => {
  const run = await startAgent(repository.dir, titleOf('fix'), {}, [
    '--model',
    'm',
    '--session-id=s',
    '--unknown',
    'x',
  ]).ended;
  expect(run.events[0]).toMatchObject({ model: 'm', session_id: 's' });
});

test('changes nothing for a task that it has no story for', async () => {
  const run = await runAgent(repository.dir, 'Make parsing faster');
  expect(run.events.at(-1)).toMatchObject({ type: 'result', subtype: 'success' });
  expect(await repository.git('status', '--porcelain')).toBe('');
});

test('a second run on its own change changes nothing more, unless it cheats', async () => {
  await runAgent(repository.dir, titleOf('fix'));
  const once = await repository.git('diff');
  await runAgent(repository.dir, titleOf('fix'));
  expect(await repository.git('diff')).toBe(once);
});

test('an edit that finds no place is told as an error, and the file stays', async () => {
  writeFileSync(join(repository.dir, 'src/format.js'), 'export const format = String;\n');
  const run = await runAgent(repository.dir, titleOf('fix'));
  expect(JSON.stringify(run.events)).toContain('"is_error":true');
  expect(readFileSync(join(repository.dir, 'src/format.js'), 'utf8')).toBe('export const format = String;\n');
});

test('holds between its two steps while the file exists, but only the first run does', async () => {
  const hold = join(repository.root, 'hold');
  writeFileSync(hold, '');
  const first = startAgent(repository.dir, titleOf('killed'), { CCD_AGENT_HOLD: hold });
  await appears(repository.root, 'hold.taken');
  expect(readFileSync(join(repository.dir, 'src/compare.js'), 'utf8')).toContain('descending = false');
  expect(await repository.git('status', '--porcelain')).toBe(' M src/compare.js');

  const other = await createDemoRepository();
  await runAgent(other.dir, titleOf('killed'), { CCD_AGENT_HOLD: hold });
  expect(await other.git('diff', '--name-only')).toBe('README.md\nsrc/compare.js\ntest/compare.test.js');
  other.remove();

  unlinkSync(hold);
  expect((await first.ended).exitCode).toBe(0);
  expect(await repository.git('diff', '--name-only')).toBe('README.md\nsrc/compare.js\ntest/compare.test.js');
});

test('an interrupt ends it with the result that the real CLI writes', async () => {
  const hold = join(repository.root, 'hold');
  writeFileSync(hold, '');
  const run = startAgent(repository.dir, titleOf('killed'), { CCD_AGENT_HOLD: hold });
  await appears(repository.root, 'hold.taken');
  run.child.kill('SIGINT');
  const { exitCode, events } = await run.ended;
  expect(exitCode).toBe(0);
  expect(events.at(-1)).toMatchObject({ type: 'result', terminal_reason: 'aborted_tools', is_error: true });
});
