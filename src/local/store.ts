import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Emitter } from './emitter.ts';
import type { LocalEvents } from './events.ts';
import { Faults } from './faults/faults.ts';
import type { App, Grant, Installation, Permissions, User } from './records/identity.ts';
import type { Repo } from './records/repository.ts';
import { RequestLog } from './requests.ts';
import { Urls } from './urls.ts';

/** The last second that a time of four digits for the year can name: a clock that jumps stays within such times. */
const LAST_TIME = Date.UTC(9998, 11, 31, 23, 59, 59);

export interface StoreOptions {
  /** Directory that holds the bare repositories. */
  readonly dataDir: string;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** Hex source for secrets; random unless given. */
  readonly randomHex?: (bytes: number) => string;
  /** Waits so many milliseconds of this GitHub's time; a timer unless given. */
  readonly wait?: (ms: number) => Promise<void>;
  /** Sends webhooks; the platform's `fetch` unless given. */
  readonly send?: typeof fetch;
  /** GitHub's primary and secondary rate limits: only told in headers, as unless given, or enforced. */
  readonly limits?: 'told' | 'enforced';
}

/** Everything that this GitHub knows outside git, in memory. */
export class Store {
  readonly dataDir: string;
  readonly now: () => number;
  readonly limits: 'told' | 'enforced';
  readonly wait: (ms: number) => Promise<void>;
  readonly send: typeof fetch;
  readonly randomHex: (bytes: number) => string;
  readonly events = new Emitter<LocalEvents>();
  readonly faults = new Faults();
  readonly requests = new RequestLog();
  readonly urls: Urls = new Urls(this);
  readonly users = new Map<number, User>();
  readonly apps = new Map<number, App>();
  readonly installations = new Map<number, Installation>();
  readonly repos = new Map<number, Repo>();
  /** Grants by the sha256 of their token. */
  readonly grants = new Map<string, Grant>();
  /** Defects of this server that answered 500, newest last: a test should find none. */
  readonly crashes: string[] = [];
  /** `http://127.0.0.1:<port>` once the server listens; a name that leads nowhere until then. */
  origin = 'http://github.localhost';
  /** How far this GitHub's clock stands ahead of the one it was given. */
  clockSkewMs = 0;
  /** The last database id of each kind. */
  readonly ids = new Map<string, number>();

  constructor(options: StoreOptions) {
    this.dataDir = options.dataDir;
    const clock = options.now ?? Date.now;
    this.now = () => Math.min(LAST_TIME, Math.max(0, clock() + this.clockSkewMs));
    this.limits = options.limits ?? 'told';
    this.wait = options.wait ?? ((ms) => sleep(ms));
    this.send = options.send ?? fetch;
    this.randomHex = options.randomHex ?? ((bytes) => randomBytes(bytes).toString('hex'));
  }

  /** Next database id of one kind; each kind starts elsewhere, so that mixed-up ids are noticed. */
  nextId(kind: IdKind): number {
    const id = (this.ids.get(kind) ?? FIRST_ID[kind]) + 1;
    this.ids.set(kind, id);
    return id;
  }

  userByLogin(login: string): User | undefined {
    const wanted = login.toLowerCase();
    return [...this.users.values()].find((user) => user.login.toLowerCase() === wanted);
  }

  repoByName(owner: string, name: string): Repo | undefined {
    const [o, n] = [owner.toLowerCase(), name.toLowerCase()];
    return [...this.repos.values()].find(
      (repo) => repo.owner.login.toLowerCase() === o && repo.name.toLowerCase() === n,
    );
  }

  appBySlug(slug: string): App | undefined {
    return [...this.apps.values()].find((app) => app.slug === slug);
  }

  /** Keeps a grant under a new opaque token and returns the token. */
  grant(token: string, grant: Grant): string {
    this.grants.set(tokenKey(token), grant);
    return token;
  }

  /** The grant behind a token, expired ones included. */
  grantOf(token: string): Grant | undefined {
    return this.grants.get(tokenKey(token));
  }

  /**
   * Mints the token of a workflow job. Rights are exactly `permissions`; valid for `ttlMs` (24 h unless given).
   * Long and dotted like an installation token.
   */
  createJobToken(options: { repo: Repo; permissions: Permissions; runId: number; ttlMs?: number }): string {
    return this.grant(longToken(this.randomHex), {
      kind: 'job',
      repositoryId: options.repo.id,
      runId: options.runId,
      permissions: options.permissions,
      expiresAt: this.now() + (options.ttlMs ?? 24 * 3_600_000),
    });
  }

  /** Ends a token at once. */
  revoke(token: string): void {
    this.grants.delete(tokenKey(token));
  }

  /** The installation of an app that covers a repository. */
  installationFor(app: App, repo: Repo): Installation | undefined {
    return [...this.installations.values()].find(
      (installation) =>
        installation.app === app &&
        installation.account === repo.owner &&
        (installation.repositories === 'all' || installation.repositories.has(repo.id)),
    );
  }
}

/** A stateless-style installation token: about 520 characters, with dots. */
export function longToken(randomHex: (bytes: number) => string): string {
  return `ghs_${randomHex(60)}.${randomHex(150)}.${randomHex(47)}`;
}

/** Keys of tokens in use: one token comes with thousands of requests. */
const knownKeys = new Map<string, string>();
const MAX_KNOWN_KEYS = 1_000;

function tokenKey(token: string): string {
  const known = knownKeys.get(token);
  if (known !== undefined) return known;
  const key = createHash('sha256').update(token).digest('hex');
  if (knownKeys.size >= MAX_KNOWN_KEYS) knownKeys.clear();
  knownKeys.set(token, key);
  return key;
}

const FIRST_ID = {
  user: 1_000,
  app: 20_000,
  installation: 300_000,
  repository: 4_000_000,
  issue: 50_000_000,
  pull: 60_000_000,
  label: 70_000_000,
  comment: 80_000_000,
  event: 90_000_000,
  review: 100_000_000,
  checkSuite: 110_000_000,
  checkRun: 120_000_000,
  status: 130_000_000,
  ruleset: 140_000,
  workflow: 150_000_000,
  workflowRun: 160_000_000,
  workflowJob: 170_000_000,
  artifact: 180_000_000,
  delivery: 190_000_000,
  request: 0,
  milestone: 200_000_000,
} as const;

export type IdKind = keyof typeof FIRST_ID;
