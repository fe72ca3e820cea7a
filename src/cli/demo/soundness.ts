import { statfsSync } from 'node:fs';
import { CcdError } from '../../domain/errors.ts';
import type { World } from './world.ts';

/** Git and the app write small files all the time: below this the next one fails. */
const leastBytes = 512 * 1024;

/** Throws when what runs the demonstration is broken, so that nobody waits for an end that cannot come. */
export function assertSound(world: World, dir: string): void {
  const dead = world.deadApp();
  if (dead !== null)
    throw new CcdError({
      code: 'demo.died',
      message: `The app ended (${dead.how}) before the work had come to rest.`,
      remedy: `The last line of its log: ${dead.log || 'none'}`,
      audience: 'operator',
    });
  const full = fullDisk(dir);
  if (full !== null) throw full;
}

/** The fault of a disk without room for what comes next, or null. What fails on a full disk often cannot say why. */
export function fullDisk(dir: string, cause?: unknown): CcdError | null {
  const { bavail, bsize } = statfsSync(dir);
  if (bavail * bsize >= leastBytes) return null;
  return new CcdError({
    code: 'host.disk-full',
    message: `The disk is full: there is no room below ${dir}.`,
    remedy:
      'Free some space, or name another place in TMPDIR, and run it again; nothing half-written was left.',
    audience: 'operator',
    cause,
  });
}
