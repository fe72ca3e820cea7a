import type { App, Installation, Permissions, User } from './records/identity.ts';

/** Who is behind a request, as its credentials prove. */
export type Principal =
  | { readonly kind: 'anonymous' }
  /** An app by its JWT: may only look at itself and mint tokens. */
  | { readonly kind: 'app'; readonly app: App }
  | { readonly kind: 'user'; readonly user: User }
  | {
      readonly kind: 'installation';
      readonly app: App;
      readonly installation: Installation;
      readonly permissions: Permissions;
      readonly repositories: ReadonlySet<number> | null;
    }
  /** The workflow token of one run: acts as github-actions[bot]. */
  | {
      readonly kind: 'job';
      readonly app: App;
      readonly repositoryId: number;
      readonly runId: number;
      readonly permissions: Permissions;
    };

/** Who did something: `via` tells events caused by the workflow token (they start no workflows) from others. */
export interface Actor {
  readonly user: User;
  readonly app: App | null;
  readonly via: 'user' | 'installation' | 'job';
  readonly runId?: number;
}

/** The actor of a principal that may act, or null for one that may not (anonymous, bare JWT). */
export function actorOf(principal: Principal): Actor | null {
  switch (principal.kind) {
    case 'user':
      return { user: principal.user, app: null, via: 'user' };
    case 'installation':
      return { user: principal.app.bot, app: principal.app, via: 'installation' };
    case 'job':
      return { user: principal.app.bot, app: principal.app, via: 'job', runId: principal.runId };
    default:
      return null;
  }
}

/** Stable name of a principal for logs and counts: `app:<slug>`, `user:<login>`, `job:<run>`, `anonymous`. */
export function principalName(principal: Principal): string {
  switch (principal.kind) {
    case 'anonymous':
      return 'anonymous';
    case 'user':
      return `user:${principal.user.login}`;
    case 'job':
      return `job:${principal.runId}`;
    default:
      return `app:${principal.app.slug}`;
  }
}
