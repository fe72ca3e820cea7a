import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ccd, runIn } from './support/run-cli.ts';

it('every command has help with an example; one that there is none of has none', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'ccd-help-'));
  const run = (...args: readonly string[]) => runIn(dir, ccd(...args));
  const general = await run('--help');
  const names = [...general.stdout.matchAll(/^ {2}([a-z]+) .*$/gm)].map((match) => match[1]!);
  expect(names).toEqual(
    expect.arrayContaining([
      'classify',
      'demo',
      'guard',
      'init',
      'isolation',
      'local',
      'serve',
      'spec',
      'status',
    ]),
  );
  for (const name of names.filter((one) => one !== 'help')) {
    const { exitCode, stdout } = await run(name, '--help');
    expect([name, exitCode, /^Examples?:\n {2}.*ccd \w+/m.test(stdout)]).toEqual([name, 0, true]);
  }
  const unknown = await run('bogus', '--help');
  expect([unknown.exitCode, unknown.stdout]).toEqual([2, '']);
  expect(unknown.stderr).toMatch(/^ccd: Unknown command 'bogus'\./);
  await rm(dir, { recursive: true, force: true });
});
