import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ZERO_OID } from '../../../../src/local/git/oid.ts';
import { PlainMoves } from '../../../../src/local/git/plain-moves.ts';
import { RefFiles } from '../../../../src/local/git/ref-files.ts';
import { type RefMove, RefUpdates } from '../../../../src/local/git/ref-updates.ts';
import { GitRepository } from '../../../../src/local/git/repository.ts';

let dir = '';
let oids: readonly string[] = [];
let made = 0;
let left = 0;

const sh = (script: string, cwd = dir): Promise<string> =>
  new Promise((resolve, reject) => {
    const env = { PATH: process.env.PATH ?? '', HOME: dir, GIT_CONFIG_NOSYSTEM: '1' };
    execFile('bash', ['-ec', script], { cwd, env }, (error, out) =>
      error ? reject(error) : resolve(out.trim()),
    );
  });

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ccd-plain-moves-'));
  const made = await sh(`git init -q -b main seed && cd seed
    git config user.name T && git config user.email t@example.com
    for n in 1 2; do git commit -q --allow-empty -m $n; git rev-parse HEAD; done
    git tag -a v1 -m tag && git rev-parse v1 'HEAD^{tree}'`);
  // Two commits, a tag, a tree, and what is nowhere.
  oids = [...made.split('\n'), 'f'.repeat(40)];
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** A repository whose refs are moved by our own hand where that can be, or by git alone. */
async function openSide(name: string, byGitAlone: boolean) {
  await sh(
    `rm -rf ${name} && git clone -q --bare seed ${name} && rm -rf ${name}/packed-refs ${name}/refs/heads/*`,
  );
  const path = join(dir, name);
  const git = new GitRepository(path);
  const plain = new PlainMoves(git, new RefFiles(path));
  const watched = {
    make: async (moves: readonly RefMove[]) => {
      const done = !byGitAlone && (await plain.make(moves));
      if (done) made += 1;
      else if (!byGitAlone) left += 1;
      return done;
    },
  };
  const updates = new RefUpdates(path, watched as PlainMoves);
  return {
    path,
    git,
    run: async (moves: readonly RefMove[]) => (await updates.run(moves))?.replaceAll(path, '<repository>'),
    refs: () => sh("git for-each-ref --format='%(refname) %(objectname)'", path),
    close: () => Promise.all([updates.close(), git.close()]),
  };
}

const name = fc.constantFrom(
  'heads/a',
  'heads/a/b',
  'heads/a-b',
  'heads/e/f',
  'heads/d',
  'tags/a',
  'x/a/b',
  'x/a/c',
  'x/c',
);
/** Mostly one of the commits, or nothing; seldom the tag, the tree, or what is nowhere. */
const value = fc.constantFrom(0, 0, 0, 0, 1, 1, 1, -1, -1, -1, 2, 3, 4);
const move = fc.record({
  name,
  after: value,
  truth: fc.constantFrom(true, true, true, true, true, true, true, false),
});
const step = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(move) },
  { weight: 2, arbitrary: fc.array(move, { minLength: 2, maxLength: 3 }) },
  { weight: 2, arbitrary: fc.constant('pack' as const) },
);

it('moves what git would move, refuses what git refuses in its words, leaves no lock', async () => {
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 20 }), async (steps) => {
      round += 1;
      const ours = await openSide(`ours-${round}`, false);
      const gits = await openSide(`gits-${round}`, true);
      try {
        for (const one of steps) {
          if (one === 'pack') {
            for (const side of [ours, gits]) await sh('git pack-refs --all', side.path);
            continue;
          }
          const moves: RefMove[] = [];
          for (const { name, after, truth } of one) {
            const ref = `refs/${name}`;
            const before = truth ? ((await gits.git.ref(ref)) ?? ZERO_OID) : oids[1]!;
            moves.push({ ref, before, after: oids[after] ?? ZERO_OID });
          }
          expect(await ours.run(moves), JSON.stringify(moves)).toEqual(await gits.run(moves));
          expect(await ours.refs(), JSON.stringify(moves)).toBe(await gits.refs());
          expect((await ours.git.refs()).map((ref) => `${ref.name} ${ref.oid}`).join('\n')).toBe(
            await gits.refs(),
          );
        }
        const files = await readdir(ours.path, { recursive: true });
        expect(files.filter((file) => file.endsWith('.lock'))).toEqual([]);
      } finally {
        await Promise.all([ours.close(), gits.close()]);
      }
    }),
    { numRuns: 10 },
  );
  expect(made, 'made by our own hand').toBeGreaterThan(30);
  expect(left, 'left to git').toBeGreaterThan(20);
}, 120_000);

it('leaves a ref alone whose lock somebody else holds', async () => {
  const side = await openSide('locked', false);
  const [before, after] = [ZERO_OID, oids[0]!];
  await writeFile(join(side.path, 'refs/heads/held.lock'), '');
  const moves = ['refs/heads/free', 'refs/heads/held'].map((ref) => ({ ref, before, after }));
  expect(await side.run(moves)).toMatch(/held.lock': File exists/);
  expect(await side.refs()).toBe('');
  await writeFile(join(side.path, 'packed-refs.lock'), '');
  expect(await side.run([moves[0]!])).toBeUndefined();
  await side.close();
});

it('leaves to git what packed refs forbid or keep', async () => {
  const side = await openSide('packed', false);
  const [one, two] = [oids[0]!, oids[1]!];
  await side.run(['refs/heads/a', 'refs/heads/d/e'].map((ref) => ({ ref, before: ZERO_OID, after: one })));
  await sh('git pack-refs --all --prune', side.path);
  const create = (ref: string) => side.run([{ ref, before: ZERO_OID, after: one }]);
  expect(await create('refs/heads/a/b'), 'below a packed one').toMatch(/'refs\/heads\/a' exists/);
  expect(await create('refs/heads/d'), 'above a packed one').toMatch(/'refs\/heads\/d\/e' exists/);
  expect(await side.run([{ ref: 'refs/heads/a', before: one, after: two }])).toBeUndefined();
  expect(await side.run([{ ref: 'refs/heads/a', before: two, after: ZERO_OID }])).toBeUndefined();
  expect(await side.refs(), 'the packed value does not come back').toBe(`refs/heads/d/e ${one}`);
  await side.close();
});
