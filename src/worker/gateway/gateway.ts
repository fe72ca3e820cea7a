import type { TokenUsage } from '../prices.ts';
import type { Refusal } from '../retry.ts';
import type { SharedBudget } from '../shared-budget.ts';
import type { GatewayEvent, GatewayStop } from './gateway-event.ts';
import { LoopbackGateway } from './loopback-gateway.ts';
import { type ModelAccess, plainAccess } from './model-access.ts';
import type { RequestLog } from './request-log.ts';
import { anthropic } from './upstream-config.ts';

export interface GatewayBounds {
  /** The key that the child shows; anybody else is turned away. */
  readonly childKey: string;
  /** More than this may not be spent: the answer that crosses it is delivered, the next request is refused. */
  readonly maxMicroUsd: number;
  /** Money of the levels above, shared with other gateways. */
  readonly budget?: SharedBudget;
  /** More answers than this are not fetched; subagents and repeated requests count, too. */
  readonly maxTurns?: number;
  /** So many milliseconds from now nothing is let through any more, and what is under way is broken off. */
  readonly wallClockMs?: number;
  /** A streamed answer that is silent for so long is broken off, so that the agent asks again; milliseconds. */
  readonly silenceMs?: number;
  /** The same for an answer that comes whole. */
  readonly wholeSilenceMs?: number;
  readonly log?: RequestLog;
  /** Called once, when the money is used up. */
  readonly onExhausted?: () => void;
  /** Called once, when nothing is let through any more, whatever the reason. */
  readonly onStop?: (stop: GatewayStop) => void;
  /** Must not throw. */
  readonly onEvent?: (event: GatewayEvent) => void;
}

interface PlainUpstream {
  /** Where the Messages API is; a path in it is kept as prefix. */
  readonly modelUrl: URL;
  /** The real key; null when the address needs none. Never leaves this process but to `modelUrl`. */
  readonly modelKey: string | null;
}

/** With `access`, which other gateways of this process share, or with an address and a key alone. */
export type GatewayOptions = GatewayBounds & (PlainUpstream | { readonly access: ModelAccess });

export interface GatewayTotals extends TokenUsage {
  readonly microUsd: number;
  /** True when an answer broke off or a model's price was unknown: the sum is then no exact figure. */
  readonly estimated: boolean;
  readonly requests: number;
  readonly answers: number;
}

export interface Gateway {
  /** Address for the child, on loopback. */
  readonly url: string;
  readonly totals: GatewayTotals;
  /** The last answer that was an error, for the wait before a retry. */
  readonly lastRefusal: Refusal | null;
  /** Keys that can be used, as far as this process knows. */
  readonly slots: { readonly usable: number; readonly of: number };
  /** From now on every request is refused. */
  stop(): void;
  close(): Promise<void>;
}

/**
 * Starts the model gateway on a free loopback port: the child has a key of its own, the real one is added here, each
 * answer passes while its usage is metered. Bodies are neither kept nor logged.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const shared = 'access' in options ? options.access : null;
  const access = shared ?? plainAccess(...plainUpstream(options));
  const gateway = new LoopbackGateway(options, access, shared === null);
  await gateway.listen();
  return gateway;
}

function plainUpstream(options: GatewayOptions): Parameters<typeof plainAccess> {
  if ('access' in options) throw new TypeError('options with an access have no address of their own');
  return [anthropic(options.modelUrl), options.modelKey];
}
