/**
 * Ends the process, as a crash would, at a named point around a write: `CCD_KILL_AT=before.create-pull`, or with `:2` behind it
 * at the second time. It is how the promise that any process may be killed at any moment is tested.
 */
export function killPoints(
  env: Readonly<Record<string, string | undefined>>,
  host: Pick<NodeJS.Process, 'kill' | 'pid'>,
): (name: string) => Promise<void> {
  const wanted = env.CCD_KILL_AT;
  if (wanted === undefined || wanted === '') return async () => undefined;
  const [point, times = '1'] = wanted.split(':');
  let left = Number(times);
  return async (name) => {
    if (name !== point) return;
    left -= 1;
    if (left > 0) return;
    host.kill(host.pid, 'SIGKILL');
    // The signal is delivered while this waits: nothing after the point runs.
    await new Promise(() => undefined);
  };
}
