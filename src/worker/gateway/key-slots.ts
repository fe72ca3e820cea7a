import { z } from 'zod';
import type { Clock } from '../../host/clock.ts';
import type { GatewayEvent } from './gateway-event.ts';
import type { Credential } from './key-source.ts';
import { type Owner, ownerName, parseOwner } from './owner.ts';
import type { SharedFolder } from './shared-folder.ts';

/** Why a slot is out of use: words of the outcome table. */
export type SlotLoss = 'invalid-api-key' | 'forbidden' | 'billing' | 'usage-limit';

export interface Slot {
  /** From 1, in the order of the configuration. */
  readonly number: number;
  readonly credential: Credential;
}

export type SlotGrant =
  | { readonly kind: 'slot'; readonly slot: Slot }
  /** All usable ones are held by other processes. */
  | { readonly kind: 'taken' }
  /** None can be used any more. `resetsAt`: the earliest end of a usage limit, in ISO 8601. */
  | { readonly kind: 'gone'; readonly why: SlotLoss; readonly resetsAt: string | null };

export interface SlotTools {
  readonly folder: SharedFolder | null;
  readonly owner: Owner;
  readonly clock: Clock;
  readonly random: () => number;
}

const outSchema = z.strictObject({
  version: z.literal(1),
  why: z.enum(['invalid-api-key', 'forbidden', 'billing', 'usage-limit']),
  at: z.number().int(),
  forMs: z
    .number()
    .int()
    .min(0)
    .max(40 * 86_400_000),
  told: z.boolean(),
});
type Out = z.infer<typeof outSchema>;

/** How long a slot stays out of use when nobody says until when. */
const outMs: Readonly<Record<SlotLoss, number>> = {
  'invalid-api-key': 10 * 60_000,
  forbidden: 10 * 60_000,
  billing: 10 * 60_000,
  'usage-limit': 60 * 60_000,
};

/**
 * The credentials of one process. Of several each is held by one process at a time, by a file that names it; the slot of a
 * process that died is free at once. A single one is shared by all. A slot whose key is refused or whose allowance is used up is
 * out of use until its reset, for every process that shares the folder.
 */
export class KeySlots {
  readonly #slots: readonly Slot[];
  readonly #tools: SlotTools;
  readonly #out = new Map<string, Out>();
  #held: Slot | null = null;
  #taking: Promise<SlotGrant> | null = null;
  #beat: NodeJS.Timeout | null = null;

  constructor(credentials: readonly Credential[], tools: SlotTools) {
    this.#slots = credentials.map((credential, index) => ({ number: index + 1, credential }));
    this.#tools = tools;
  }

  get total(): number {
    return this.#slots.length;
  }

  /** How many are in use or could be, as far as this process knows. */
  get usable(): number {
    return this.#slots.filter((slot) => this.#outOf(slot) === null).length;
  }

  /** The slot of this process: the one that it holds, else the first free one. */
  async current(): Promise<SlotGrant> {
    if (this.#held !== null && this.#outOf(this.#held) === null) return { kind: 'slot', slot: this.#held };
    this.#taking ??= this.#take().finally(() => {
      this.#taking = null;
    });
    return this.#taking;
  }

  /** Takes a slot out of use and tells so. `resetsAt` in ISO 8601; null when nobody knows. */
  async lose(
    slot: Slot,
    why: SlotLoss,
    resetsAt: string | null,
    tell: (event: GatewayEvent) => void,
  ): Promise<void> {
    if (this.#outOf(slot) !== null) return;
    const now = this.#tools.clock.now();
    const end = resetsAt === null ? Number.NaN : Date.parse(resetsAt);
    const forMs = Number.isFinite(end) ? Math.min(Math.max(0, end - now), 35 * 86_400_000) : outMs[why];
    const out = { version: 1, why, at: now, forMs, told: Number.isFinite(end) } as const;
    this.#out.set(slot.credential.name, out);
    await this.#tools.folder?.write(`out.${slot.credential.name}`, out);
    if (this.#held === slot) await this.release();
    tell({ type: 'slot-lost', slot: slot.number, left: this.usable, of: this.total, why, until: resetsAt });
  }

  /** Lets the held slot go. */
  async release(): Promise<void> {
    const held = this.#held;
    this.#held = null;
    if (this.#beat !== null) clearInterval(this.#beat);
    this.#beat = null;
    if (held !== null && this.total > 1) await this.#tools.folder?.remove(this.#leaseOf(held));
  }

  async #take(): Promise<SlotGrant> {
    await this.release();
    let taken = false;
    for (const slot of this.#slots) {
      await this.#learnOut(slot);
      if (this.#outOf(slot) !== null) continue;
      if (await this.#lease(slot)) {
        this.#hold(slot);
        return { kind: 'slot', slot };
      }
      taken = true;
    }
    return taken ? { kind: 'taken' } : this.#gone();
  }

  #hold(slot: Slot): void {
    this.#held = slot;
    const { folder, clock } = this.#tools;
    if (this.total === 1 || folder === null) return;
    this.#beat = setInterval(() => void folder.touch(this.#leaseOf(slot), clock.now()), 30_000);
    this.#beat.unref();
  }

  /**
   * Each process has a file of its own for a slot. It is written first and then looked for others: of two that come together at
   * least one sees the other, and one that sees another steps back. So two never hold one slot, whatever stops in between.
   */
  async #lease(slot: Slot): Promise<boolean> {
    const { folder, clock, random } = this.#tools;
    if (this.total === 1 || folder === null) return true;
    for (let look = 0; look < 5; look += 1) {
      if (await this.#heldByOther(folder, slot)) return false;
      // A folder that cannot be written gives no exclusiveness; it was told, and work goes on.
      if (!(await folder.write(this.#leaseOf(slot), {}))) return true;
      if (!(await this.#heldByOther(folder, slot))) return true;
      await folder.remove(this.#leaseOf(slot));
      await clock.sleep(5 + 100 * random() * (look + 1));
    }
    return false;
  }

  async #heldByOther(folder: SharedFolder, slot: Slot): Promise<boolean> {
    const mine = this.#leaseOf(slot);
    for (const name of await folder.list()) {
      if (!name.startsWith(`slot.${slot.credential.name}.`) || name === mine) continue;
      const owner = parseOwner(name.split('.')[2] ?? '');
      if (owner === null) continue;
      if (await folder.lives(name, owner, this.#tools.clock.now())) return true;
      await folder.remove(name);
    }
    return false;
  }

  /** What another process found out about a slot. */
  async #learnOut(slot: Slot): Promise<void> {
    const { folder, clock } = this.#tools;
    const { name } = slot.credential;
    if (folder === null || this.#outOf(slot) !== null) return;
    if (!(await folder.list()).includes(`out.${name}`)) return;
    const parsed = outSchema.safeParse(await folder.read(`out.${name}`));
    if (!parsed.success) return;
    // By another clock: from now on it counts for no longer than it was told to last.
    const now = clock.now();
    const at = Math.min(parsed.data.at, now);
    if (at + parsed.data.forMs > now) this.#out.set(name, { ...parsed.data, at });
    else await folder.remove(`out.${name}`);
  }

  #outOf({ credential }: Slot): Out | null {
    const out = this.#out.get(credential.name);
    return out !== undefined && out.at + out.forMs > this.#tools.clock.now() ? out : null;
  }

  #gone(): SlotGrant {
    const outs = this.#slots.flatMap((slot) => this.#outOf(slot) ?? []);
    const limits = outs.filter(({ why }) => why === 'usage-limit');
    const told = limits.filter((one) => one.told).map(({ at, forMs }) => at + forMs);
    const why = limits.length > 0 ? 'usage-limit' : (outs[0]?.why ?? 'invalid-api-key');
    return {
      kind: 'gone',
      why,
      resetsAt: told.length === 0 ? null : new Date(Math.min(...told)).toISOString(),
    };
  }

  #leaseOf({ credential }: Slot): string {
    return `slot.${credential.name}.${ownerName(this.#tools.owner)}`;
  }
}
