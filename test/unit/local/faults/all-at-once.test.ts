import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createActions } from '../../../../src/local/actions/actions.ts';
import { roll } from '../../../../src/local/faults/dice.ts';
import { FaultKind, FaultPlan, type FaultRecord } from '../../../../src/local/faults/fault-plan.ts';
import { playPlan } from '../../../../src/local/faults/play-plan.ts';
import {
  createApp,
  createRepo,
  createUser,
  createUserToken,
  installApp,
} from '../../../../src/local/seed.ts';
import { open } from '../../../../src/local/server.ts';

const CALLS = 500;
const START = Date.parse('2026-11-30T12:00:00Z');
const TRUNK = { repository: 'acme/demo', ref: 'refs/heads/side' };
const WORKFLOW = 'on: workflow_dispatch\njobs:\n  a: {runs-on: ubuntu-latest, steps: [{run: echo}]}\n';

/** One rule of each kind, a few strikes in a hundred calls each; jumps of the clock that end outside of all time. */
const PLAN = FaultPlan.parse({
  seed: 22,
  rules: [
    ...FaultKind.options.map((kind) => ({
      kind,
      chance: kind === 'dispatch-answer-lost' ? 0.3 : 0.04,
      ...(kind.startsWith('admin-') ? TRUNK : {}),
      ...(kind === 'clock-jump' ? { ms: 1e11, chance: 0.3 } : {}),
    })),
    { kind: 'clock-jump', id: 'back', ms: -1e11, chance: 0.25 },
    { kind: 'clock-jump', id: 'a little', ms: 4_000, chance: 0.3 },
  ],
});

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

interface Game {
  /** What each call ended with: a status, or how it broke off. */
  readonly answers: readonly string[];
  readonly records: readonly FaultRecord[];
  readonly crashes: readonly string[];
  readonly received: number;
  readonly killed: number;
}

/** Plays five hundred calls that the seed chooses, on a world whose time stands still but for what the faults do to it. */
async function play(recorded: readonly FaultRecord[] | null): Promise<Game> {
  const folder = await mkdtemp(join(tmpdir(), 'ccd-all-faults-'));
  folders.push(folder);
  let serial = 0;
  let received = 0;
  const github = await open({
    dataDir: join(folder, 'data'),
    now: () => START,
    randomHex: (bytes) => {
      serial += 1;
      return serial.toString(16).padStart(bytes * 2, '0');
    },
    wait: async () => undefined,
    send: async () => {
      received += 1;
      return new Response('taken');
    },
  });
  const { store, deliveries } = github;
  const actions = createActions(github);
  const acme = createUser(store, 'acme', 'Organization');
  const repo = await createRepo(store, { owner: acme, name: 'demo' });
  const app = createApp(store, {
    slug: 'ccd',
    owner: acme,
    permissions: { issues: 'write' },
    events: ['issues', 'issue_comment', 'push', 'create', 'delete'],
    webhookUrl: 'http://receiver.localhost/',
  });
  installApp(store, app, acme);
  const token = createUserToken(store, acme);
  const commit = async (text: string, parents: readonly string[]): Promise<string> => {
    const { git } = repo;
    const blob = git.write('blob', Buffer.from(text));
    const entry = (mode: string, name: string, oid: string) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]);
    const file = git.write('tree', entry('100644', 'ci.yml', git.write('blob', Buffer.from(WORKFLOW))));
    const workflows = git.write('tree', entry('40000', 'workflows', file));
    const tree = git.write(
      'tree',
      Buffer.concat([entry('40000', '.github', workflows), entry('100644', 'a', blob)]),
    );
    const stamp = `A <a@example.com> ${START / 1000} +0000`;
    const lines = [
      `tree ${tree}`,
      ...parents.map((oid) => `parent ${oid}`),
      `author ${stamp}`,
      `committer ${stamp}`,
    ];
    return git.write('commit', Buffer.from(`${lines.join('\n')}\n\n${text}\n`));
  };
  const first = await commit('first', []);
  const second = await commit('second', [first]);
  const after = (ref: string, newOid: string) => ({ ref, oldOid: null, newOid });
  const push = (updates: readonly ReturnType<typeof after>[]) =>
    github.push({ token, owner: 'acme', repo: 'demo', objects: [], updates, atomic: true });
  await push([after('refs/heads/main', second), after('refs/heads/side', second)]);

  let jobStarted: (job: { id: number; name: string; by: string }) => void = () => undefined;
  let killed = 0;
  const runners = {
    onJobStarted: (listener: typeof jobStarted) => {
      jobStarted = listener;
      return () => undefined;
    },
    loseRunner: (id: number) => void actions.loseRunner(id),
    stickJob: (id: number) => void actions.stickJob(id),
  };
  const crashClient = () => {
    killed += 1;
  };
  const game = playPlan({ store, deliveries, runners, crashClient }, PLAN, recorded);
  const base = `${store.origin}/api/v3/repos/acme/demo`;
  const ask = async (method: string, path: string, body?: object): Promise<string> => {
    const response = await github.fetch(
      path.startsWith('/graphql') ? `${store.origin}/api${path}` : `${base}${path}`,
      {
        method,
        headers: { authorization: `token ${token}` },
        ...(body ? { body: JSON.stringify(body) } : {}),
      },
    );
    await response.text();
    return String(response.status);
  };
  const call = (index: number): Promise<string> => {
    const dice = (sides: number, what: string) => Math.floor(roll('calls', `${what} ${index}`) * sides);
    const issue = dice(40, 'issue') + 1;
    switch (dice(11, 'call')) {
      case 0:
        return ask('POST', '/issues', { title: `Issue ${index}`, labels: ['a'] });
      case 1:
        return ask('POST', `/issues/${issue}/comments`, { body: `Comment ${index}` });
      case 2:
        return ask('PATCH', `/issues/${issue}`, { state: dice(2, 'state') === 0 ? 'closed' : 'open' });
      case 3:
        return ask('GET', `/issues?state=all&per_page=5&page=${dice(3, 'page') + 1}`);
      case 4:
        return ask('POST', '/git/refs', { ref: `refs/heads/b${dice(9, 'branch')}`, sha: second });
      case 5:
        return ask('DELETE', `/git/refs/heads/b${dice(9, 'branch')}`);
      case 6:
        return ask('PATCH', '/git/refs/heads/side', {
          sha: dice(2, 'to') === 0 ? first : second,
          force: true,
        });
      case 7:
        return ask('POST', '/graphql', {
          query: '{ repository(owner: "acme", name: "demo") { issues { totalCount } } }',
        });
      case 8:
        jobStarted({ id: index, name: `job ${index % 3}`, by: 'user:acme' });
        return ask('POST', '/actions/workflows/ci.yml/dispatches', { ref: 'main' });
      case 9:
        return ask('GET', '/actions/runs');
      default:
        return push([after('refs/heads/side', dice(2, 'to') === 0 ? first : second)]).then(
          (done) => done.kind,
        );
    }
  };
  const answers: string[] = [];
  for (let index = 0; index < CALLS; index += 1)
    answers.push(await call(index).catch((error: Error) => `${(error.cause as { code?: string }).code}`));
  await deliveries.idle();
  game.stop();
  await actions.close();
  await github.close();
  return { answers, records: game.records, crashes: store.crashes, received, killed };
}

it('all kinds of faults at once hang nothing and crash nothing, and what was recorded plays again to the same end', async () => {
  const game = await play(null);
  expect(game.crashes).toEqual([]);
  const struck = new Set(game.records.map((record) => record.kind));
  expect(FaultKind.options.filter((kind) => !struck.has(kind))).toEqual([]);
  expect(new Set(game.answers).size, 'answers of many kinds').toBeGreaterThan(8);
  expect([game.received, game.killed].every((count) => count > 0)).toBe(true);
  const again = await play(JSON.parse(JSON.stringify(game.records)) as FaultRecord[]);
  expect(again.answers).toEqual(game.answers);
  expect(again).toEqual(game);
}, 60_000);
