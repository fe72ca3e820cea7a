import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { cli, root } from './support/scenario.ts';

it('the demonstration plays all five stories and proves them', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'ccd-demo-test-'));
  try {
    const run = await execa(process.execPath, [cli, 'demo', '--json'], {
      cwd,
      reject: false,
      env: { INIT_CWD: root },
    });
    expect(run.stderr).not.toMatch(/WRONG/);
    expect(run.exitCode).toBe(0);
    const result = JSON.parse(run.stdout) as {
      ok: boolean;
      tasks: Record<string, unknown>[];
      trunk: { commits: string[] };
    };
    expect(result.ok).toBe(true);
    expect(result.tasks.map(({ story, state, guard }) => [story, state, guard])).toEqual([
      ['fix', 'landed', 'pass'],
      ['dependent', 'landed', 'pass'],
      ['cheat', 'halted', 'fail'],
      ['killed', 'landed', 'pass'],
      ['invalid', 'invalid', 'none'],
    ]);
    expect(result.trunk.commits).toHaveLength(3);
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}, 300_000);
