import { createHmac } from 'node:crypto';
import type { WebhookEvent } from '../events.ts';
import { presentRepository } from '../present/repository.ts';
import { presentOrganization, presentUser } from '../present/user.ts';
import type { App, Installation } from '../records/identity.ts';
import type { Store } from '../store.ts';

export interface Delivery {
  readonly id: number;
  readonly guid: string;
  readonly appSlug: string;
  readonly event: string;
  readonly action: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
  /** `pending` until it was tried; `dropped` by policy; else the receiver's status or why there was none. */
  outcome: 'pending' | 'dropped' | { readonly status: number } | { readonly error: string };
}

/** Misbehaviour of deliveries. Each function is asked per delivery; absent means: behave. */
export interface DeliveryPolicy {
  readonly drop?: (delivery: Delivery) => boolean;
  /** True: sent twice, with the same id, as a redelivery is. */
  readonly duplicate?: (delivery: Delivery) => boolean;
  /** True: kept back until the next delivery of the app (or `idle`) has gone out. */
  readonly reorder?: (delivery: Delivery) => boolean;
  /** Milliseconds until it is sent; what comes after it does not wait. */
  readonly delayMs?: (delivery: Delivery) => number;
}

/** Deliveries that are remembered, the newest; GitHub tells of those of three days ("Viewing webhook deliveries"). */
const KEPT_DELIVERIES = 10_000;

/** Bytes of a receiver's answer that are read. */
const MAX_ANSWER = 65_536;

/** Signs and sends webhooks, one after the other per app, without retry, as GitHub does. */
export class Deliveries {
  /** The newest, oldest first. */
  readonly list: Delivery[] = [];
  readonly #store: Store;
  #policy: DeliveryPolicy = {};
  readonly #queues = new Map<number, { tail: Promise<void>; held: Delivery[] }>();
  readonly #late = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  /** Checks each payload before it goes out; set by the contract validator. */
  inspect: (delivery: Delivery) => void = () => undefined;

  constructor(store: Store) {
    this.#store = store;
    store.events.on('webhook', (event) => this.#take(event));
  }

  setPolicy(policy: DeliveryPolicy): void {
    this.#policy = policy;
  }

  /** Resolves once everything emitted so far has been answered, dropped or failed. */
  async idle(): Promise<void> {
    for (;;) {
      for (const appId of this.#queues.keys()) this.#release(appId);
      const tails = [...this.#queues.values()].map((queue) => queue.tail);
      await Promise.all(tails);
      await Promise.all(this.#late);
      const settled =
        this.#late.size === 0 &&
        [...this.#queues.values()].every((queue) => tails.includes(queue.tail) && queue.held.length === 0);
      if (settled) return;
    }
  }

  /** Sends a kept delivery again, with its first id. */
  redeliver(delivery: Delivery): void {
    const app = this.#store.appBySlug(delivery.appSlug);
    if (app) this.#enqueue(app, delivery);
  }

  close(): void {
    this.#abort.abort();
  }

  /** Sends an event that has no repository (`installation`). */
  sendTo(
    installation: Installation,
    event: string,
    action: string,
    body: Readonly<Record<string, unknown>>,
  ): void {
    this.#dispatch(installation.app, event, action, { action, ...body });
  }

  #take(event: WebhookEvent): void {
    for (const app of this.#store.apps.values()) {
      if (event.onlyAppId !== undefined && event.onlyAppId !== app.id) continue;
      if (!app.webhookUrl || !app.events.includes(event.event)) continue;
      const installation = this.#store.installationFor(app, event.repo);
      if (installation)
        this.#dispatch(app, event.event, event.action, payloadOf(this.#store, event, installation));
    }
  }

  #dispatch(app: App, event: string, action: string | null, payload: Record<string, unknown>): void {
    const id = this.#store.nextId('delivery');
    const hex = this.#store.randomHex(16);
    const guid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    const delivery: Delivery = { id, guid, appSlug: app.slug, event, action, payload, outcome: 'pending' };
    this.list.push(delivery);
    if (this.list.length > KEPT_DELIVERIES) this.list.splice(0, KEPT_DELIVERIES / 10);
    this.inspect(delivery);
    if (this.#policy.drop?.(delivery)) {
      delivery.outcome = 'dropped';
      return;
    }
    if (this.#policy.reorder?.(delivery)) {
      this.#queueOf(app.id).held.push(delivery);
      return;
    }
    const delay = this.#policy.delayMs?.(delivery) ?? 0;
    if (delay > 0) this.#sendLate(app, delivery, delay);
    else this.#enqueue(app, delivery);
    if (this.#policy.duplicate?.(delivery)) this.#enqueue(app, delivery);
    this.#release(app.id);
  }

  #sendLate(app: App, delivery: Delivery, ms: number): void {
    const late = this.#store
      .wait(ms)
      .then(() => this.#send(app, delivery))
      .finally(() => this.#late.delete(late));
    this.#late.add(late);
  }

  #queueOf(appId: number): { tail: Promise<void>; held: Delivery[] } {
    const queue = this.#queues.get(appId) ?? { tail: Promise.resolve(), held: [] };
    this.#queues.set(appId, queue);
    return queue;
  }

  #release(appId: number): void {
    const app = this.#store.apps.get(appId)!;
    for (const delivery of this.#queueOf(appId).held.splice(0)) this.#enqueue(app, delivery);
  }

  #enqueue(app: App, delivery: Delivery): void {
    const queue = this.#queueOf(app.id);
    queue.tail = queue.tail.then(() => this.#send(app, delivery));
  }

  async #send(app: App, delivery: Delivery): Promise<void> {
    try {
      const body = JSON.stringify(delivery.payload);
      const signature = createHmac('sha256', app.webhookSecret).update(body).digest('hex');
      const response = await this.#store.send(app.webhookUrl!, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'GitHub-Hookshot/ccd0001',
          'x-github-event': delivery.event,
          'x-github-delivery': delivery.guid,
          'x-github-hook-id': String(app.id),
          'x-github-hook-installation-target-id': String(app.id),
          'x-github-hook-installation-target-type': 'integration',
          'x-hub-signature-256': `sha256=${signature}`,
        },
        // A receiver that sends on elsewhere did not take it.
        redirect: 'manual',
        signal: AbortSignal.any([AbortSignal.timeout(10_000), this.#abort.signal]),
      });
      await skim(response);
      delivery.outcome = { status: response.status };
    } catch (cause) {
      delivery.outcome = { error: cause instanceof Error ? cause.message : String(cause) };
    }
  }
}

/** Reads an answer to its end, so that its connection can serve again; one that does not end soon is not kept. */
async function skim(response: Response): Promise<void> {
  let left = MAX_ANSWER;
  for await (const chunk of response.body ?? []) {
    left -= chunk.length;
    if (left < 0) return;
  }
}

function payloadOf(store: Store, event: WebhookEvent, installation: Installation): Record<string, unknown> {
  const { repo } = event;
  const isOrganization = repo.owner.type === 'Organization';
  return {
    ...(event.action === null ? {} : { action: event.action }),
    ...event.body,
    repository: event.body.repository ?? presentRepository(store.urls, repo),
    ...(isOrganization ? { organization: presentOrganization(store.urls, repo.owner) } : {}),
    sender: presentUser(store.urls, event.actor.user),
    installation: {
      id: installation.id,
      node_id: Buffer.from(`integration:${installation.id}`).toString('base64'),
    },
  };
}
