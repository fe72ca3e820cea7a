import { createHash } from 'node:crypto';
import { createUserToken } from '../src/local/seed.ts';
import { type BenchWorld, openBenchWorld } from './support/bench-world.ts';
import { type Figure, rounded, timed } from './support/figure.ts';

const r = { owner: 'acme', repo: 'demo' };
const ZERO = '0'.repeat(40);
const STATE = 'refs/heads/ccd/state';
/** As counted in the demonstration: about 300 reads and 50 writes for each landed task, in some dozen passes. */
const PASSES = 12;

type Objects = { readonly type: 'blob' | 'tree' | 'commit'; readonly content: Buffer }[];

const idOf = (type: string, content: Buffer): string =>
  createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');

/** A commit that holds one file, and its objects. */
function commitOf(name: string, text: string, parents: readonly string[], at: number) {
  const blob = Buffer.from(text);
  const entry = Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(idOf('blob', blob), 'hex')]);
  const stamp = `ccd <ccd@example.com> ${at} +0000`;
  const lines = [
    `tree ${idOf('tree', entry)}`,
    ...parents.map((oid) => `parent ${oid}`),
    `author ${stamp}`,
    `committer ${stamp}`,
    '',
    `${name}\n`,
  ];
  const commit = Buffer.from(lines.join('\n'));
  const objects: Objects = [
    { type: 'blob', content: blob },
    { type: 'tree', content: entry },
    { type: 'commit', content: commit },
  ];
  return { oid: idOf('commit', commit), objects };
}

class Life {
  readonly #world: BenchWorld;
  readonly #token: string;
  #state = ZERO;
  #trunk: string;
  #clock = 1_700_000_000;

  constructor(world: BenchWorld, token: string) {
    this.#world = world;
    this.#token = token;
    this.#trunk = world.trunk;
  }

  /** From the issue to the landed commit, by the calls that the app, a worker and people make. */
  async run(number: number): Promise<void> {
    const { asOwner, asApp } = this.#world;
    const { data: issue } = await asOwner.rest.issues.create({
      ...r,
      title: `Task ${number}`,
      body: '## Goal\n\nDo it.',
    });
    await asOwner.rest.issues.addLabels({ ...r, issue_number: issue.number, labels: ['ccd:dispatch'] });
    await this.#pass(issue.number);
    const { data: comment } = await asApp.rest.issues.createComment({
      ...r,
      issue_number: issue.number,
      body: 'Queued',
    });
    const head = await this.#candidate(number);
    const branch = `ccd/task-${number}`;
    const { data: pull } = await asApp.rest.pulls.create({
      ...r,
      head: branch,
      base: 'main',
      title: `Task ${number}`,
      draft: true,
    });
    await this.#checks(head);
    for (let pass = 2; pass < PASSES; pass += 1) {
      await this.#pass(issue.number, pull.number);
      await asApp.rest.issues.updateComment({ ...r, comment_id: comment.id, body: `Pass ${pass}` });
    }
    await this.#land(number, head);
    await asApp.rest.issues.update({ ...r, issue_number: issue.number, state: 'closed' });
    await asApp.rest.git.deleteRef({ ...r, ref: `heads/${branch}` });
    await asApp.rest.issues.removeLabel({ ...r, issue_number: issue.number, name: 'ccd:dispatch' });
    await this.#pass(issue.number, pull.number);
  }

  /** What one look at the world reads, and the step of the state that follows it. */
  async #pass(issue: number, pull?: number): Promise<void> {
    const { rest } = this.#world.asApp;
    await rest.repos.get(r);
    await rest.issues.listForRepo({ ...r, labels: 'ccd:dispatch', per_page: 100 });
    await rest.git.listMatchingRefs({ ...r, ref: 'heads/ccd/' });
    for (let round = 0; round < 4; round += 1) {
      await rest.issues.get({ ...r, issue_number: issue });
      await rest.issues.listEventsForTimeline({ ...r, issue_number: issue, per_page: 100 });
      await rest.issues.listComments({ ...r, issue_number: issue, per_page: 100 });
      await rest.git.getRef({ ...r, ref: 'heads/main' });
      await rest.checks.listForRef({ ...r, ref: this.#trunk, per_page: 100 });
      if (pull !== undefined) await rest.pulls.get({ ...r, pull_number: pull });
    }
    this.#clock += 1;
    const next = commitOf(
      'state.json',
      `{"at":${this.#clock}}`,
      this.#state === ZERO ? [] : [this.#state],
      this.#clock,
    );
    await this.#push(next.objects, [{ ref: STATE, oldOid: this.#state, newOid: next.oid }]);
    this.#state = next.oid;
  }

  async #candidate(number: number): Promise<string> {
    this.#clock += 1;
    const { oid, objects } = commitOf('a.txt', `${number}\n`, [this.#trunk], this.#clock);
    await this.#push(objects, [{ ref: `refs/heads/ccd/task-${number}`, oldOid: ZERO, newOid: oid }]);
    return oid;
  }

  async #checks(head: string): Promise<void> {
    const { rest } = this.#world.asApp;
    for (const name of ['ccd/guard', 'ccd/build', 'ccd/facts']) {
      const { data } = await rest.checks.create({ ...r, name, head_sha: head, status: 'in_progress' });
      await rest.checks.update({ ...r, check_run_id: data.id, status: 'completed', conclusion: 'success' });
    }
  }

  async #land(number: number, head: string): Promise<void> {
    this.#clock += 1;
    const build = commitOf('a.txt', `${number}\n`, [this.#trunk, head], this.#clock);
    await this.#push(build.objects, [
      { ref: 'refs/heads/main', oldOid: this.#trunk, newOid: build.oid },
      { ref: `refs/ccd/landed/${number}`, oldOid: ZERO, newOid: build.oid },
    ]);
    this.#trunk = build.oid;
  }

  async #push(
    objects: Objects,
    updates: readonly { ref: string; oldOid: string; newOid: string }[],
  ): Promise<void> {
    const done = await this.#world.github.push({ ...r, token: this.#token, objects, updates, atomic: true });
    if (done.kind === 'denied' || done.refs.some((one) => one.kind !== 'moved'))
      throw new Error(`The push was refused: ${JSON.stringify(done)}`);
  }
}

export async function run(): Promise<Figure[]> {
  const world = await openBenchWorld('in-process');
  try {
    const { store } = world.github;
    const life = new Life(world, createUserToken(store, store.userByLogin('acme')!));
    for (let number = 1; number <= 5; number += 1) await life.run(number);
    const lives = 40;
    const before = { ...store.requests.countsOf('app:ccd') };
    const cpu = process.cpuUsage();
    const ms = await timed(async () => {
      for (let number = 6; number < 6 + lives; number += 1) await life.run(number);
    });
    const { user, system } = process.cpuUsage(cpu);
    const counts = store.requests.countsOf('app:ccd');
    const { data: closed } = await world.asApp.rest.pulls.get({
      ...r,
      pull_number: 2,
    });
    if (!closed.merged) throw new Error('The pull request of the first life is not merged.');
    return [
      { name: 'task lives', value: rounded((lives / ms) * 60_000), unit: '/min', goal: '200' },
      { name: 'CPU of a life', value: rounded((user + system) / 1_000 / lives), unit: 'ms' },
      {
        name: 'calls of the app in a life',
        value: rounded(
          (counts.read + counts.write + counts.content - before.read - before.write - before.content) / lives,
        ),
        unit: '',
      },
      { name: 'memory', value: rounded(process.memoryUsage().rss / 1e6), unit: 'MB' },
    ];
  } finally {
    await world.close();
  }
}
