import type { PermissionLevel, Permissions } from '../../records/identity.ts';
import type { PermissionsBody } from '../workflow/schema.ts';

/** Areas that a workflow's token can hold (docs: "permissions"), in the API's spelling. */
const AREAS = [
  'actions',
  'artifact_metadata',
  'attestations',
  'checks',
  'contents',
  'deployments',
  'discussions',
  'issues',
  'packages',
  'pages',
  'pull_requests',
  'security_events',
  'statuses',
] as const;

const all = (level: PermissionLevel): Permissions => Object.fromEntries(AREAS.map((area) => [area, level]));

/**
 * The rights of a job's token: the job's `permissions` replace the workflow's; an area left out of a given mapping
 * has none; without any, GitHub's restricted default, `contents: read` and `packages: read`.
 */
export function tokenPermissions(
  workflow: PermissionsBody | undefined,
  job: PermissionsBody | undefined,
): Permissions {
  const wanted = job ?? workflow;
  if (wanted === undefined) return { contents: 'read', packages: 'read', metadata: 'read' };
  if (wanted === 'read-all' || wanted === 'write-all') {
    return { ...all(wanted === 'read-all' ? 'read' : 'write'), metadata: 'read' };
  }
  const given = Object.entries(wanted)
    .filter((entry): entry is [string, PermissionLevel] => entry[1] !== 'none')
    .map(([area, level]) => [area.replaceAll('-', '_'), level] as const);
  return { ...Object.fromEntries(given), metadata: 'read' };
}

const ORDER: readonly (PermissionLevel | undefined)[] = [undefined, 'read', 'write', 'admin'];

/** Of two sets of rights, what both give: a called workflow can only lower what its caller holds. */
export function lowerPermissions(a: Permissions, b: Permissions): Permissions {
  const entries = Object.keys(a).map((area) => {
    const level = ORDER[Math.min(ORDER.indexOf(a[area]), ORDER.indexOf(b[area]))];
    return [area, level] as const;
  });
  return Object.fromEntries(
    entries.filter((entry): entry is [string, PermissionLevel] => entry[1] !== undefined),
  );
}

/** What is left for a change that comes from another repository: nothing but reading. */
export function readOnly(permissions: Permissions): Permissions {
  return Object.fromEntries(Object.keys(permissions).map((area) => [area, 'read' as const]));
}
