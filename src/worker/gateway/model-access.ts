import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type Clock, systemClock } from '../../host/clock.ts';
import { KeySlots } from './key-slots.ts';
import { type Credential, credentialOf, type KeySource, noCredential } from './key-source.ts';
import { LimitBoard } from './limit-board.ts';
import { thisOwner } from './owner.ts';
import { RateLimits } from './rate-limits.ts';
import { SharedFolder } from './shared-folder.ts';
import type { Upstream } from './upstream.ts';
import { WaitingRow } from './waiting-row.ts';

export interface AccessOptions {
  readonly upstream: Upstream;
  /** One for each slot; none: the upstream asks for no key. */
  readonly keys: readonly KeySource[];
  /** Shared by the workers of this machine; null: this process is alone. */
  readonly machineFolder: string | null;
  /** The parent's own, for commands that print a key. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly warn: (message: string) => void;
  /** Called with each key that was fetched, so that it can be kept out of what is published. */
  readonly onSecret: (secret: string) => void;
  /** A request is held back no longer than this; milliseconds. */
  readonly maxWaitMs?: number;
}

/** The way to the model for one process: what is behind, its keys, and what the machine knows about limits. */
export interface ModelAccess {
  readonly upstream: Upstream;
  readonly slots: KeySlots;
  readonly limits: RateLimits;
  readonly clock: Clock;
  readonly maxWaitMs: number;
  readonly warn: (message: string) => void;
  readonly agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
  /** Lets the slot go and closes idle connections. */
  close(): Promise<void>;
}

const defaultMaxWaitMs = 60_000;

export async function openModelAccess(options: AccessOptions): Promise<ModelAccess> {
  const { machineFolder, environment, onSecret, clock, random, warn } = options;
  const folder = machineFolder === null ? null : await SharedFolder.open(machineFolder, warn);
  return accessOf({
    upstream: options.upstream,
    credentials: options.keys.map((key) => credentialOf(key, environment, onSecret)),
    folder,
    clock,
    random,
    warn,
    maxWaitMs: options.maxWaitMs ?? defaultMaxWaitMs,
  });
}

/** Access with one key that is shared with nobody. */
export function plainAccess(upstream: Upstream, key: string | null): ModelAccess {
  const credentials = key === null ? [] : [credentialOf({ kind: 'given', secret: key }, {}, () => undefined)];
  return accessOf({
    upstream,
    credentials,
    folder: null,
    clock: systemClock,
    random: Math.random,
    warn: () => undefined,
    maxWaitMs: defaultMaxWaitMs,
  });
}

function accessOf(parts: {
  readonly upstream: Upstream;
  readonly credentials: readonly Credential[];
  readonly folder: SharedFolder | null;
  readonly clock: Clock;
  readonly random: () => number;
  readonly warn: (message: string) => void;
  readonly maxWaitMs: number;
}): ModelAccess {
  const { upstream, credentials, folder, clock, random, warn, maxWaitMs } = parts;
  const owner = thisOwner();
  const slots = new KeySlots(credentials.length === 0 ? [noCredential] : credentials, {
    folder,
    owner,
    clock,
    random,
  });
  const now = () => clock.now();
  const limits = new RateLimits({
    board: new LimitBoard(folder, owner, now),
    row: new WaitingRow(folder, owner, now),
    clock,
    maxWaitMs,
  });
  const agents = {
    http: new HttpAgent({ keepAlive: true }),
    https: new HttpsAgent({ keepAlive: true, rejectUnauthorized: true }),
  };
  return {
    upstream,
    slots,
    limits,
    clock,
    maxWaitMs,
    warn,
    agents,
    close: async () => {
      agents.http.destroy();
      agents.https.destroy();
      await slots.release();
    },
  };
}
