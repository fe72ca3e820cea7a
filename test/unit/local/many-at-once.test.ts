import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LocalWorld, openWorld } from '../../contract/support/local-world.ts';

const r = { owner: 'acme', repo: 'demo' };
const ZEROS = '0'.repeat(40);
let world: LocalWorld;
let sha: string;

beforeEach(async () => {
  world = await openWorld({ validate: 'off' });
  sha = (await world.repo.git.ref('refs/heads/main'))!;
});

afterEach(async () => {
  expect(world.github.store.crashes).toEqual([]);
  await world.close();
});

/** The statuses of so many calls at once, sorted. */
async function statuses(count: number, call: (index: number) => Promise<{ status: number }>) {
  const all = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      call(index).then(
        ({ status }) => status,
        (error: { status: number }) => error.status,
      ),
    ),
  );
  return all.sort();
}

const pkt = (text: string): string => (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text;

/** A push as bytes: what git's own client would never send. */
async function pushBytes(commands: readonly string[]): Promise<string> {
  const [first = '', ...others] = commands;
  const answer = await fetch(`${world.github.url}/acme/demo.git/git-receive-pack`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.tokens.owner}` },
    body: `${pkt(`${first}\0report-status`)}${others.map(pkt).join('')}0000`,
  });
  expect(answer.status).toBe(200);
  return answer.text();
}

it('gives a name to one repository of many that ask for it, also when one gives it up', async () => {
  const { repos } = world.asOwner.rest;
  const made = await statuses(10, () => repos.createForAuthenticatedUser({ name: 'same' }));
  expect(made).toEqual([201, ...Array(9).fill(422)]);
  await repos.update({ ...r, name: 'renamed' });
  await repos.createInOrg({ org: 'acme', name: 'demo' });
  const [old, fresh] = [
    world.github.store.repoByName('acme', 'renamed')!,
    world.github.store.repoByName('acme', 'demo')!,
  ];
  expect(fresh.git.dir).not.toBe(old.git.dir);
  expect([await old.git.ref('refs/heads/main'), await fresh.git.refs()]).toEqual([sha, []]);
});

it('moves a ref once that one push names twice, and tells of it once', async () => {
  const told: string[] = [];
  world.github.store.events.on('push', ({ ref, after }) => told.push(`${ref} ${after}`));
  const other = world.repo.git.write('commit', (await world.repo.git.object(sha))!.content.subarray(0, -1));
  const report = await pushBytes([`${ZEROS} ${sha} refs/heads/twice`, `${ZEROS} ${other} refs/heads/twice`]);
  expect(report).toContain('ok refs/heads/twice');
  expect(report).toContain('ng refs/heads/twice');
  const now = await world.repo.git.ref('refs/heads/twice');
  expect(told).toEqual([`refs/heads/twice ${now}`]);
});

it('takes a thousand refs in one push, and answers others meanwhile', async () => {
  const count = 1_000;
  const push = pushBytes(
    Array.from({ length: count }, (_, index) => `${ZEROS} ${sha} refs/heads/many/${index}`),
  );
  const read = world.asOwner.rest.repos.get(r);
  expect((await push).match(/ok refs/g)).toHaveLength(count);
  expect((await read).status).toBe(200);
  const listed = await world.sh(
    `git ls-remote "${world.remote(world.tokens.owner)}" 'refs/heads/many/*' | wc -l`,
  );
  expect(Number(listed.out)).toBe(count);
});
