import { writeFileSync } from 'node:fs';

/**
 * Ends the process, as a crash would, at the first of some named points around a write: `CCD_KILL_AT=before.create-pull,after.landing`.
 * The point is written to the file CCD_KILL_NOTE first. It is how the promise that any process may be killed at any moment is tested.
 */
export function killPoints(
  env: Readonly<Record<string, string | undefined>>,
  host: Pick<NodeJS.Process, 'kill' | 'pid'>,
): (name: string) => Promise<void> {
  const points = new Set((env.CCD_KILL_AT ?? '').split(',').filter((point) => point !== ''));
  const note = env.CCD_KILL_NOTE;
  return async (name) => {
    if (!points.has(name)) return;
    if (note !== undefined) writeFileSync(note, name);
    host.kill(host.pid, 'SIGKILL');
    // The signal is delivered while this waits: nothing after the point runs.
    await new Promise(() => undefined);
  };
}
