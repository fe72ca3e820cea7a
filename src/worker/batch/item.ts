import { type Digest, digestValue } from '../../domain/digest.ts';
import type { PhaseConfig, SeverityGate } from './pipeline.ts';

/** One input item of a phase. */
export interface Item {
  /** Its id as text, or its digest where it has none. */
  readonly id: string;
  /** False: it has no id of its own, so that it is worked on in every run. */
  readonly named: boolean;
  /** What the agent is given. */
  readonly value: unknown;
  /** Changes with the item and with all that decides what the agent makes of it. */
  readonly key: Digest;
}

/** What decides, besides the item, what comes of it. */
export interface KeyParts {
  readonly prompt: string;
  readonly model: string;
  /** The JSON Schema of a result; null when there is none. */
  readonly schema: unknown;
}

/** Raised when what is asked of the agent around the prompt changes so that older results are no longer of the same kind. */
const keyVersion = 1;

/** Digest of the work on one item: a result is taken over by a later run when this is the same. */
export function resumeKey(value: unknown, { prompt, model, schema }: KeyParts): Digest {
  return digestValue({ version: keyVersion, item: value ?? null, prompt, model, schema: schema ?? null });
}

export interface ReadItems {
  readonly items: readonly Item[];
  /** How many were left out because the same item stood there before. */
  readonly repeated: number;
  /** Ids that stand for two items which are not the same. */
  readonly ambiguous: readonly string[];
  /** Ids of items below the severity that the phase asks for. */
  readonly below: readonly string[];
}

type ItemConfig = Pick<PhaseConfig, 'item_id' | 'fields' | 'min_severity'>;

/** The items of a phase from the values that its input holds. Ids are compared as texts. */
export function readItems(values: readonly unknown[], phase: ItemConfig, parts: KeyParts): ReadItems {
  const found = new Map<string, Item>();
  const ambiguous = new Set<string>();
  const below: string[] = [];
  let repeated = 0;
  for (const whole of values) {
    const item = itemOf(whole, phase, parts);
    if (phase.min_severity !== undefined && !isSevere(whole, phase.min_severity)) {
      below.push(item.id);
      continue;
    }
    const before = found.get(item.id);
    if (before === undefined) found.set(item.id, item);
    else if (before.key === item.key) repeated += 1;
    else ambiguous.add(item.id);
  }
  return { items: [...found.values()], repeated, ambiguous: [...ambiguous], below };
}

function itemOf(whole: unknown, { item_id, fields }: ItemConfig, parts: KeyParts): Item {
  const id = idOf(whole, item_id);
  const value = fields === undefined ? whole : pick(whole, [item_id, ...fields]);
  return { id: id ?? digestValue(whole ?? null), named: id !== null, value, key: resumeKey(value, parts) };
}

/** The id of an item or a result: its field, or itself when it is a text or a number. Null when there is none. */
export function idOf(value: unknown, field: string): string | null {
  const id = isRecord(value) ? value[field] : value;
  if (typeof id === 'number' && Number.isFinite(id)) return String(id);
  return typeof id === 'string' && id !== '' ? id : null;
}

/** An object with these of its fields; anything else stays as it is. */
export function pick(value: unknown, fields: readonly string[]): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => fields.includes(name)));
}

/** A severity that nobody knows passes: a gate must not lose what it cannot judge. */
function isSevere(value: unknown, { field, at_least, order }: SeverityGate): boolean {
  const said = isRecord(value) ? value[field] : undefined;
  const rank = typeof said === 'string' ? order.indexOf(said.toLowerCase()) : -1;
  return rank < 0 || rank >= order.indexOf(at_least);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
