import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openProgressFile } from '../../../src/worker/progress-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccd-progress-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the progress of a run', () => {
  it('is one JSON document a line, in order, and whole once it is closed', async () => {
    const path = join(folder, 'told');
    let now = 0;
    const file = openProgressFile(path, () => now++);
    for (let index = 0; index < 3; index += 1) file.write({ type: 'tool-ended', failed: index === 1 });
    await file.close();
    const told = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(told.map((line) => JSON.parse(line))).toEqual([
      { ts: '1970-01-01T00:00:00.000Z', type: 'tool-ended', failed: false },
      { ts: '1970-01-01T00:00:00.001Z', type: 'tool-ended', failed: true },
      { ts: '1970-01-01T00:00:00.002Z', type: 'tool-ended', failed: false },
    ]);
  });

  it('does not fill the disk', async () => {
    const path = join(folder, 'flood');
    const file = openProgressFile(path, () => 0);
    const tool = 'x'.repeat(100_000);
    for (let index = 0; index < 400; index += 1) file.write({ type: 'permission-denied', tool });
    await file.close();
    expect(statSync(path).size).toBeGreaterThan(15 * 1024 * 1024);
    expect(statSync(path).size).toBeLessThanOrEqual(16 * 1024 * 1024);
  });

  it('is left out where it cannot be written', async () => {
    const file = openProgressFile(join(folder, 'none', 'told'), () => 0);
    file.write({ type: 'tool-ended', failed: false });
    await file.close();
    file.write({ type: 'tool-ended', failed: false });
    expect(() => statSync(join(folder, 'none'))).toThrow();
  });
});
