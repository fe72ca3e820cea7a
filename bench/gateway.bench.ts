import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Gateway, startGateway } from '../src/worker/gateway/gateway.ts';
import { type Figure, median, rounded } from './support/figure.ts';

const peers = join(import.meta.dirname, 'support', 'gateway-peers.mjs');

/** What the model is asked to answer: so many events of so many bytes, so far apart; and how long the prompt is. */
interface Plan {
  readonly count: number;
  readonly bytes: number;
  readonly gapMs: number;
  readonly promptBytes: number;
}

interface Answered {
  readonly firstMs: number;
  readonly totalMs: number;
  readonly received: number;
}

/** An agent, a gateway, a model, each in a process of its own, as in a real attempt. */
interface World {
  readonly direct: string;
  readonly through: string;
  readonly gateway: Gateway;
  ask(url: string, plan: Plan): Promise<Answered>;
}

async function open(): Promise<World & { close(): Promise<void> }> {
  const start = (role: string) => fork(peers, [role], { stdio: 'inherit', execArgv: [] });
  const [model, agent] = [start('model'), start('agent')];
  const [{ port }] = (await once(model, 'message')) as [{ port: number }];
  const direct = `http://127.0.0.1:${port}`;
  const gateway = await startGateway({
    modelUrl: new URL(direct),
    modelKey: 'real',
    childKey: 'k',
    maxMicroUsd: 1e15,
  });
  return {
    direct,
    through: gateway.url,
    gateway,
    ask: (url, plan) => askOne(agent, url, plan),
    close: async () => {
      await gateway.close();
      for (const one of [model, agent]) one.kill();
    },
  };
}

async function askOne(agent: ChildProcess, url: string, plan: Plan): Promise<Answered> {
  agent.send({ url, plan });
  const [answered] = (await once(agent, 'message')) as [Answered];
  return answered;
}

/** Both ways by turns, so that a busy machine slows both. */
async function byTurns(
  world: World,
  plan: Plan,
  times: number,
): Promise<{ direct: Answered[]; through: Answered[] }> {
  const all: { direct: Answered[]; through: Answered[] } = { direct: [], through: [] };
  for (let time = 0; time < times; time += 1) {
    all.direct.push(await world.ask(world.direct, plan));
    all.through.push(await world.ask(world.through, plan));
  }
  return all;
}

const percentile = (values: readonly number[], part: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ??
  Number.NaN;

async function firstByte(world: World, promptBytes: number): Promise<Figure[]> {
  const plan = { count: 3, bytes: 50, gapMs: 0, promptBytes };
  await byTurns(world, plan, 30);
  const { direct, through } = await byTurns(world, plan, 200);
  const times = [direct, through].map((all) => all.map(({ firstMs }) => firstMs)) as [number[], number[]];
  const name = `first byte, prompt of ${promptBytes / 1000} kB`;
  return [
    ...[50, 95].map((part) => {
      const added = percentile(times[1], part / 100) - percentile(times[0], part / 100);
      return { name: `${name}: added, p${part}`, value: rounded(added, 2), unit: 'ms', goal: 'under 3' };
    }),
    { name: `${name}: direct, p50`, value: rounded(median(times[0]), 2), unit: 'ms' },
  ];
}

/** A model writes a few hundred events a second at most. */
async function paced(world: World): Promise<Figure> {
  const { direct, through } = await byTurns(world, { count: 600, bytes: 60, gapMs: 5, promptBytes: 1000 }, 3);
  const [apart, by] = [direct, through].map((all) => median(all.map(({ totalMs }) => totalMs))) as [
    number,
    number,
  ];
  return {
    name: 'a paced answer takes longer by',
    value: rounded((100 * (by - apart)) / apart, 2),
    unit: '%',
    goal: 'under 1',
  };
}

async function bulk(world: World): Promise<Figure[]> {
  const plan = { count: 12_500, bytes: 16_000, gapMs: 0, promptBytes: 1000 };
  await world.ask(world.through, { ...plan, count: 100 });
  const cpu = process.cpuUsage();
  const { direct, through } = await byTurns(world, plan, 3);
  const { user, system } = process.cpuUsage(cpu);
  const speed = (all: readonly Answered[]) =>
    median(all.map(({ received, totalMs }) => received / 1000 / totalMs));
  const carried = through.reduce((sum, { received }) => sum + received, 0);
  return [
    { name: 'as fast as it goes: direct', value: rounded(speed(direct)), unit: 'MB/s' },
    { name: 'as fast as it goes: through', value: rounded(speed(through)), unit: 'MB/s' },
    {
      name: 'CPU of the gateway for 100 MB',
      value: rounded((user + system) / 1000 / (carried / 1e8)),
      unit: 'ms',
    },
  ];
}

/** One answer of 1 GB. What was grown while it ran, over what was there after a first one of 100 MB. */
async function memory(world: World): Promise<Figure> {
  const plan = { count: 6_250, bytes: 16_000, gapMs: 0, promptBytes: 1000 };
  await world.ask(world.through, plan);
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  await world.ask(world.through, { ...plan, count: 62_500 });
  clearInterval(timer);
  return {
    name: 'memory grown over an answer of 1 GB',
    value: rounded((most - before) / 1e6, 1),
    unit: 'MB',
    goal: 'flat',
  };
}

export async function run(): Promise<Figure[]> {
  const world = await open();
  try {
    const small = await firstByte(world, 1000);
    const usual = await firstByte(world, 100_000);
    const large = await firstByte(world, 1_000_000);
    return [...small, ...usual, ...large, await paced(world), ...(await bulk(world)), await memory(world)];
  } finally {
    await world.close();
  }
}
