import type { Principal } from './principal.ts';
import type { PermissionLevel, Permissions, Role } from './records/identity.ts';
import type { Repo } from './records/repository.ts';
import { badCredentials, forbidden, notFound, problem, type Reply } from './reply.ts';

/** `issues:read`, `contents:write`, … */
export type Need = `${string}:${PermissionLevel}`;

/** Who may call an operation. */
export type Access =
  /** Anybody, credentials or not. */
  | { readonly kind: 'public' }
  /** An app by its JWT. */
  | { readonly kind: 'app' }
  /** Any valid credentials that can act. */
  | { readonly kind: 'token' }
  /**
   * Something in a repository: tokens need one of `anyOf`; people need `role`
   * (unless given: read for reads, write for writes, admin for `administration`).
   */
  | { readonly kind: 'repo'; readonly anyOf: readonly Need[]; readonly role?: Role };

const LEVELS: readonly PermissionLevel[] = ['read', 'write', 'admin'];
const ROLES: readonly Role[] = ['read', 'triage', 'write', 'maintain', 'admin'];

/** Shorthand for a route in a repository. */
export const repoAccess = (anyOf: Need | readonly Need[], role?: Role): Access => ({
  kind: 'repo',
  anyOf: typeof anyOf === 'string' ? [anyOf] : anyOf,
  ...(role ? { role } : {}),
});

/** True when `permissions` hold `need` or more. `metadata:read` is always held, as on GitHub. */
export function holds(permissions: Permissions, need: Need): boolean {
  const [area, level] = need.split(':') as [string, PermissionLevel];
  if (area === 'metadata' && level === 'read') return true;
  const held = permissions[area];
  return held !== undefined && LEVELS.indexOf(held) >= LEVELS.indexOf(level);
}

/** Role of a user in a repository: owner is admin, collaborators as set, everybody reads public ones. */
export function roleOf(repo: Repo, userId: number): Role | null {
  if (repo.owner.id === userId) return 'admin';
  return repo.collaborators.get(userId) ?? (repo.private ? null : 'read');
}

export const roleAtLeast = (role: Role | null, wanted: Role): boolean =>
  role !== null && ROLES.indexOf(role) >= ROLES.indexOf(wanted);

/** True when the principal can know that the repository exists. */
export function canSee(principal: Principal, repo: Repo): boolean {
  switch (principal.kind) {
    case 'anonymous':
      return !repo.private;
    case 'user':
      return roleOf(repo, principal.user.id) !== null;
    case 'job':
      return principal.repositoryId === repo.id || !repo.private;
    case 'app':
      return !repo.private;
    case 'installation':
      return coveredBy(principal, repo) || !repo.private;
  }
}

/** An archived repository takes no writes but those of administration, which can revive or delete it. */
const isFrozen = (repo: Repo, anyOf: readonly Need[]): boolean =>
  repo.archived && anyOf.every((need) => !need.endsWith(':read') && !need.startsWith('administration:'));

/** True when the principal may do what `needs` (any one of them) ask in this repository. */
export function mayInRepo(principal: Principal, repo: Repo, anyOf: readonly Need[], role?: Role): boolean {
  if (isFrozen(repo, anyOf)) return false;
  switch (principal.kind) {
    case 'anonymous':
    case 'app':
      return !repo.private && anyOf.some((need) => need.endsWith(':read')) && role === undefined;
    case 'user':
      return roleAtLeast(roleOf(repo, principal.user.id), role ?? roleFor(anyOf));
    case 'job':
      return principal.repositoryId === repo.id && anyOf.some((need) => holds(principal.permissions, need));
    case 'installation':
      return coveredBy(principal, repo) && anyOf.some((need) => holds(principal.permissions, need));
  }
}

/** The refusal for this caller, or null when it may go on. `repo` is null when the path names none that exists. */
export function refuse(access: Access, principal: Principal, repo: Repo | null): Reply | null {
  switch (access.kind) {
    case 'public':
      return null;
    case 'app':
      if (principal.kind === 'app') return null;
      return problem(401, 'A JSON web token could not be decoded');
    case 'token':
      return principal.kind === 'anonymous' || principal.kind === 'app' ? badCredentials() : null;
    case 'repo':
      return refuseInRepo(access, principal, repo);
  }
}

function refuseInRepo(
  access: Extract<Access, { kind: 'repo' }>,
  principal: Principal,
  repo: Repo | null,
): Reply | null {
  if (!repo || !canSee(principal, repo)) return notFound();
  if (isFrozen(repo, access.anyOf) && principal.kind !== 'anonymous')
    return forbidden('Repository was archived so is read-only.');
  if (mayInRepo(principal, repo, access.anyOf, access.role)) return null;
  if (principal.kind === 'anonymous') return problem(401, 'Requires authentication');
  if (principal.kind === 'user') {
    const reads = roleAtLeast(roleOf(repo, principal.user.id), 'read');
    return reads ? forbidden('Must have write access to the repository.') : notFound();
  }
  return forbidden();
}

function coveredBy(principal: Extract<Principal, { kind: 'installation' }>, repo: Repo): boolean {
  const { installation, repositories } = principal;
  if (installation.account !== repo.owner) return false;
  if (installation.repositories !== 'all' && !installation.repositories.has(repo.id)) return false;
  return repositories === null || repositories.has(repo.id);
}

function roleFor(anyOf: readonly Need[]): Role {
  if (anyOf.every((need) => need.startsWith('administration:'))) return 'admin';
  return anyOf.some((need) => need.endsWith(':read')) ? 'read' : 'write';
}
