import { CcdError } from '../domain/errors.ts';
import { openObjects } from '../git/objects.ts';
import { type LoadedPolicy, loadPolicy } from '../policy/load-policy.ts';
import type { Revisions } from './revisions.ts';

const policyPath = '.github/ccd.yml';

/** The policy that base's tree holds, or all defaults. Throws CcdError `guard.policy` when it is there and cannot be understood. */
export async function readBasePolicy(
  revisions: Revisions,
): Promise<Extract<LoadedPolicy, { kind: 'valid' }>> {
  const objects = openObjects(revisions.gitDir);
  try {
    const entry = (await objects.readTree(revisions.base)).find(({ path }) => path === policyPath);
    const text = entry === undefined ? null : (await objects.readBlob(entry.oid)).toString('utf8');
    const loaded = loadPolicy(text);
    if (loaded.kind === 'valid') return loaded;
    throw new CcdError({
      code: 'guard.policy',
      message: `${policyPath} on base is not valid: ${loaded.problems.map(({ message }) => message).join(' ')}`,
      remedy: 'Mend the policy on base first.',
      audience: 'operator',
    });
  } finally {
    await objects.close();
  }
}
