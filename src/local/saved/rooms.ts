import { z } from 'zod';
import type { LocalActions } from '../actions/actions.ts';
import type { Artifact } from '../actions/artifacts/artifact-store.ts';
import type { BlobTarget } from '../actions/artifacts/put-blob.ts';
import type { CacheEntry } from '../actions/caches/cache-store.ts';
import type { Review } from '../actions/runs/approvals.ts';
import type { Environment } from '../actions/runs/environments.ts';
import type { JobRecord, RunRecord, WorkflowRecord } from '../actions/runs/records.ts';
import type { LocalGitHub } from '../server.ts';
import type { SpentWindow } from '../spending.ts';
import type { Store } from '../store.ts';
import type { Delivery } from '../webhooks/deliveries.ts';

/** Deliveries that are kept, the newest; GitHub keeps those of three days. */
const KEPT_DELIVERIES = 1000;

/** An upload that is complete: nobody writes to it any more. */
type Complete<T> = Omit<T, 'write' | 'blocks'>;

const isObject = (one: unknown): boolean => typeof one === 'object' && one !== null;
const anyMap = z.instanceof(Map<unknown, unknown>);
const mapOf = <K, V>() => z.custom<Map<K, V>>((one) => one instanceof Map);

/** What a saved state has to hold at least; records inside are as they were, the file's digest stands for them. */
const Saved = z.object({
  store: z.record(z.string(), anyMap),
  clockSkewMs: z.number(),
  deliveries: z.array(z.custom<Delivery>(isObject)),
  spent: z
    .object({ hours: mapOf<string, SpentWindow[]>(), minutes: mapOf<string, SpentWindow[]>() })
    .optional(),
  actions: z.object({
    runs: mapOf<number, RunRecord>(),
    workflows: mapOf<number, WorkflowRecord>(),
    artifacts: z.array(z.custom<Complete<Artifact>>(isObject)),
    caches: z.array(z.custom<Complete<CacheEntry>>(isObject)),
    environments: z.array(z.custom<Environment>(isObject)),
    // A state of before these were kept has none.
    approvals: z
      .object({ waiting: mapOf<JobRecord, Environment>(), reviews: mapOf<RunRecord, Review[]>() })
      .optional(),
  }),
});

type SavedRooms = z.infer<typeof Saved>;

/** The Maps of a store by their names: all that it knows, those that it will have one day included. */
const mapsOf = (store: Store): Record<string, Map<unknown, unknown>> =>
  Object.fromEntries(
    Object.entries(store).filter(
      (entry): entry is [string, Map<unknown, unknown>] => entry[1] instanceof Map,
    ),
  );

/** Everything that outlives a server, as it stands: the records themselves, not copies. */
export function roomsOf(github: LocalGitHub, actions: LocalActions): SavedRooms {
  const { store } = github;
  return {
    store: { ...mapsOf(store), grants: liveGrants(store) },
    clockSkewMs: store.clockSkewMs,
    deliveries: github.deliveries.list.slice(-KEPT_DELIVERIES),
    spent: store.requests.spending.spent,
    actions: {
      runs: actions.engine.runs,
      workflows: actions.engine.workflows.all,
      artifacts: [...actions.artifacts.all.values()].flatMap(complete),
      caches: [...actions.caches.all.values()].flatMap(complete),
      environments: actions.environments.all,
      approvals: actions.engine.approvals.kept,
    },
  };
}

function complete<T extends BlobTarget & { readonly finalized: boolean }>(one: T): Complete<T>[] {
  const { write: _, blocks: __, ...rest } = one;
  return one.finalized ? [rest] : [];
}

/** Takes no more bytes, as before. */
const closed = { blocks: new Map<string, Buffer>(), write: () => false };

/** Tokens of jobs end with the server that ran them; others when their time is over. */
const liveGrants = (store: Store): Store['grants'] =>
  new Map(
    [...store.grants].filter(
      ([, grant]) =>
        grant.kind === 'user' || (grant.kind === 'installation' && grant.expiresAt > store.now()),
    ),
  );

/** Puts a saved state in the place of what a new server knows. Throws a ZodError when it is none. */
export function moveIn(saved: unknown, github: LocalGitHub, actions: LocalActions): void {
  const rooms = Saved.parse(saved);
  const { store } = github;
  for (const [name, map] of Object.entries(mapsOf(store))) refill(map, rooms.store[name] ?? new Map());
  store.clockSkewMs = rooms.clockSkewMs;
  for (const delivery of rooms.deliveries) {
    if (delivery.outcome === 'pending') delivery.outcome = { error: 'the server ended before it was sent' };
    github.deliveries.list.push(delivery);
  }
  refill(actions.engine.workflows.all, rooms.actions.workflows);
  for (const one of rooms.actions.artifacts) actions.artifacts.all.set(one.id, { ...one, ...closed });
  for (const one of rooms.actions.caches) actions.caches.adopt({ ...one, ...closed });
  actions.environments.all.push(...rooms.actions.environments);
  for (const run of rooms.actions.runs.values()) actions.engine.adopt(run);
  if (rooms.actions.approvals) actions.engine.approvals.adopt(rooms.actions.approvals);
  if (rooms.spent) store.requests.spending.adopt(rooms.spent);
}

function refill<K, V>(map: Map<K, V>, from: ReadonlyMap<K, V>): void {
  map.clear();
  for (const [key, value] of from) map.set(key, value);
}
