import { roleAtLeast, roleOf } from '../access.ts';
import type { Principal } from '../principal.ts';
import type { Role } from '../records/identity.ts';
import type { Repo } from '../records/repository.ts';
import type { BypassActor, Ruleset } from '../records/ruleset.ts';
import { fnmatch } from './fnmatch.ts';

/** True when an active ruleset covers a ref. `defaultRef` is what `~DEFAULT_BRANCH` stands for. */
export function covers(ruleset: Ruleset, ref: string, defaultRef: string): boolean {
  if (ruleset.enforcement !== 'active') return false;
  const prefix = { branch: 'refs/heads/', tag: 'refs/tags/', push: '' }[ruleset.target];
  if (prefix === '' || !ref.startsWith(prefix)) return false;
  const matches = (pattern: string): boolean =>
    pattern === '~ALL' || (pattern === '~DEFAULT_BRANCH' ? ref === defaultRef : fnmatch(pattern, ref));
  return ruleset.include.some(matches) && !ruleset.exclude.some(matches);
}

/** GitHub's ids of the built-in repository roles in bypass lists. */
const ROLE_IDS: Readonly<Record<number, Role>> = { 2: 'maintain', 4: 'write', 5: 'admin' };

/** True when the principal is on the ruleset's bypass list. `pull_request` bypass counts for merges of pull requests alone. */
export function bypasses(ruleset: Ruleset, principal: Principal, repo: Repo, isMerge = false): boolean {
  return ruleset.bypassActors.some(
    (actor) => (isMerge || actor.bypass_mode !== 'pull_request') && isActor(actor, principal, repo),
  );
}

function isActor(actor: BypassActor, principal: Principal, repo: Repo): boolean {
  switch (actor.actor_type) {
    case 'Integration':
      return (
        (principal.kind === 'installation' || principal.kind === 'job') && principal.app.id === actor.actor_id
      );
    case 'RepositoryRole': {
      const role = ROLE_IDS[actor.actor_id ?? 0];
      return (
        principal.kind === 'user' && role !== undefined && roleAtLeast(roleOf(repo, principal.user.id), role)
      );
    }
    case 'OrganizationAdmin':
      return principal.kind === 'user' && principal.user.id === repo.owner.id;
    case 'User':
      return principal.kind === 'user' && principal.user.id === actor.actor_id;
    default:
      return false;
  }
}
