import { systemClock } from '../../../../../src/host/clock.ts';
import { startGateway } from '../../../../../src/worker/gateway/gateway.ts';
import { openModelAccess } from '../../../../../src/worker/gateway/model-access.ts';
import { anthropic } from '../../../../../src/worker/gateway/upstream-config.ts';

/**
 * One worker in a process of its own: a gateway on the shared folder, and so many requests through it, some at once. Prints what
 * became of them. With `hold` it prints its slot and stays until it is ended.
 */
interface Order {
  readonly url: string;
  readonly folder: string | null;
  readonly keys: readonly string[];
  readonly requests: number;
  readonly atOnce: number;
  readonly hold: boolean;
  readonly maxWaitMs: number;
}

const order = JSON.parse(process.argv[2] ?? '') as Order;
const access = await openModelAccess({
  upstream: anthropic(new URL(order.url)),
  keys: order.keys.map((secret) => ({ kind: 'given', secret })),
  machineFolder: order.folder,
  environment: {},
  clock: systemClock,
  random: Math.random,
  warn: (text) => process.stderr.write(`${text}\n`),
  onSecret: () => undefined,
  maxWaitMs: order.maxWaitMs,
});
const statuses: number[] = [];
const slots = new Set<number | null>();
let waited = 0;
const gateway = await startGateway({
  access,
  childKey: 'k',
  maxMicroUsd: 1e12,
  log: {
    write: (line) => {
      slots.add(line.slot);
      waited += line.waitedMs;
    },
    close: async () => undefined,
  },
});

async function ask(): Promise<void> {
  const answer = await fetch(`${gateway.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': 'k' },
    body: '{"model":"claude-sonnet-4-5","max_tokens":10}',
  });
  await answer.text();
  statuses.push(answer.status);
}

for (let left = order.requests; left > 0; left -= order.atOnce)
  await Promise.all(Array.from({ length: Math.min(order.atOnce, left) }, ask));
process.stdout.write(`${JSON.stringify({ statuses, slots: [...slots], waited })}\n`);
if (order.hold) await new Promise((resolve) => setTimeout(resolve, 60_000));
await gateway.close();
await access.close();
