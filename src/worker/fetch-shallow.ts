import { type Oid, oidSchema } from '../domain/ids.ts';
import type { Clone } from '../git/bare-clone.ts';
import { gitFault } from '../git/run-git.ts';

/** Fetches commits by id without their history. False when the remote does not have (or show) one of them. */
export async function fetchShallow(clone: Clone, oids: readonly Oid[]): Promise<boolean> {
  const call = {
    args: [
      'fetch',
      '--quiet',
      '--depth=1',
      '--no-tags',
      '--no-write-fetch-head',
      '--no-auto-maintenance',
      clone.remoteUrl,
      ...oids.map((oid) => oidSchema.parse(oid)),
    ],
  };
  return clone.exclusive(async () => {
    const end = await clone.runRemote(call);
    if (end.kind === 'exited' && end.code === 0) return true;
    if (/not our ref|couldn't find remote ref|no such remote ref|unadvertised object/i.test(end.stderr))
      return false;
    throw gitFault(call, end);
  });
}
