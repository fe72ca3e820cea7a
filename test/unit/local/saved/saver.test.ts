import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Saver } from '../../../../src/local/saved/saver.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function saverOn(disk: { full: boolean }) {
  const saves: number[] = [];
  const failures: string[] = [];
  const saver = new Saver(
    async () => {
      if (disk.full) throw new Error('full');
      saves.push(Date.now());
    },
    (fault) => failures.push((fault as Error).message),
  );
  return { saver, saves, failures };
}

it('tries again by itself what could not be saved, and at once when something changes', async () => {
  const disk = { full: true };
  const { saver, saves, failures } = saverOn(disk);
  saver.touch();
  await vi.advanceTimersByTimeAsync(1_000);
  expect([failures.length, saves.length]).toEqual([1, 0]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([failures.length, saves.length]).toEqual([2, 0]);
  disk.full = false;
  saver.touch();
  await vi.advanceTimersByTimeAsync(1_000);
  expect([failures.length, saves.length]).toEqual([2, 1]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(saves.length, 'nothing left to save').toBe(1);
});

it('saves nothing once it is closed: the folder may be somebody else’s', async () => {
  const disk = { full: false };
  const { saver, saves } = saverOn(disk);
  await saver.close();
  expect(saves).toHaveLength(1);
  saver.touch();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(saves).toHaveLength(1);
  disk.full = true;
  await expect(saver.close()).rejects.toThrow('full');
});
