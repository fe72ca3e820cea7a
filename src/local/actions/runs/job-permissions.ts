import type { Permissions } from '../../records/identity.ts';
import type { JobBody } from '../workflow/schema.ts';
import type { JobSet } from './job-set.ts';
import type { RunRecord } from './records.ts';
import { lowerPermissions, readOnly, tokenPermissions } from './token-permissions.ts';

function wanted(run: RunRecord, set: JobSet, body: JobBody): Permissions {
  const own = body.permissions ?? set.file.body.permissions;
  if (set.call === null) return tokenPermissions(undefined, own);
  const callers = wanted(run, set.call.set, set.call.body);
  return own === undefined ? callers : lowerPermissions(tokenPermissions(undefined, own), callers);
}

/** The rights of a job's token, called workflows and changes from forks included. */
export function jobPermissions(run: RunRecord, set: JobSet, body: JobBody): Permissions {
  const permissions = wanted(run, set, body);
  return run.cause.fromFork === true ? readOnly(permissions) : permissions;
}
