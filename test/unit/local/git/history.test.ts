import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countBetween, isAncestor, mergeBase } from '../../../../src/local/git/ancestry.ts';
import { logCommits } from '../../../../src/local/git/commit-log.ts';
import { ZERO_OID } from '../../../../src/local/git/oid.ts';
import { GitRepository } from '../../../../src/local/git/repository.ts';
import { mergedTree } from '../../../../src/local/refs/merge-commits.ts';

let dir = '';
let git: GitRepository;
let commits: string[] = [];

/** Runs a script in the repository. */
const sh = (script: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const env = { PATH: process.env.PATH ?? '', HOME: dir, GIT_CONFIG_NOSYSTEM: '1' };
    execFile('bash', ['-ec', script], { cwd: dir, env }, (error, out) =>
      error ? reject(error) : resolve(out.trim()),
    );
  });

/** A history with merges, renames, odd names, an empty commit, a symlink in the place of a file, and zones. */
const SCRIPT = `
git init -q -b main work && cd work
git config user.name 'Ann Ünïcode' && git config user.email ann@example.com
n=0; commit() { n=$((n+1)); export GIT_AUTHOR_DATE="$((1700000000 + n * 60)) $1" GIT_COMMITTER_DATE="$((1700000000 + n * 60)) $1"; shift; git commit -q "$@"; }
mkdir -p src/deep 'odd name' && echo 1 > a.txt && echo 2 > src/deep/b.txt && echo 3 > 'odd name/ü "q".txt' && git add . && commit +0530 -m 'First

body  with trailing spaces  '
git checkout -q -b side && echo 4 > side.txt && git add . && commit -0330 -m side
git rm -q src/deep/b.txt && commit +0000 -m 'gone'
git checkout -q main && echo 5 >> a.txt && git add . && commit +0100 -m 'on main'
git merge -q --no-commit side && commit +0000 -m 'merge side'
git mv a.txt moved.txt && ln -s moved.txt a.txt && git add . && commit +0000 -m 'a link'
rm moved.txt a.txt && mkdir moved.txt && echo x > moved.txt/x && git add -A . && commit +0000 -m 'a folder'
commit +0000 --allow-empty -m 'nothing'
chmod +x 'odd name/ü "q".txt' && git add . && commit +0000 -m 'mode'
git checkout -q -b other side && echo 6 > other.txt && git add . && commit +0000 -m other
git tag -a v1 -m 'a tag' main
git tag a-tree main^{tree}
git clone -q --bare . ../bare.git
`;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ccd-history-'));
  await sh(SCRIPT);
  git = new GitRepository(join(dir, 'bare.git'));
  commits = (await sh('git -C bare.git rev-list --all')).split('\n');
});
afterAll(async () => {
  await git.close();
  await rm(dir, { recursive: true, force: true });
});

/** What git itself says: a look without a history of ours. */
const byGit = (range: readonly string[], limit?: number) => {
  const blind = { commit: async () => null, between: async () => null, isAncestor: async () => null };
  return logCommits(git, range, { history: blind as never }, limit);
};
const sorted = <T extends { oid: string }>(list: readonly T[]): T[] =>
  [...list].sort((a, b) => (a.oid < b.oid ? -1 : 1));

it('reads each commit as git log does', async () => {
  for (const oid of commits) expect(await logCommits(git, [oid], {}, 1)).toEqual(await byGit([oid], 1));
});

it('walks every range as git does, children after their parents', async () => {
  for (const from of commits)
    for (const to of commits) {
      const ours = await logCommits(git, [`${from}..${to}`]);
      expect(sorted(ours)).toEqual(sorted(await byGit([`${from}..${to}`])));
      const at = new Map(ours.map((commit, index) => [commit.oid, index]));
      for (const [index, { parents }] of ours.entries())
        for (const parent of parents) expect(at.get(parent) ?? -1).toBeLessThan(index);
      expect(await countBetween(git, from, to)).toBe(ours.length);
    }
}, 120_000);

it('knows ancestors and merge bases as git does', async () => {
  for (const one of commits)
    for (const other of commits) {
      const base = await sh(`git -C bare.git merge-base ${one} ${other}`);
      expect(await mergeBase(git, one, other)).toBe(base);
      expect(await isAncestor(git, one, other)).toBe(base === one);
    }
}, 120_000);

it('merges as git does, whether one holds the other or not', async () => {
  for (const one of commits)
    for (const other of commits) {
      const byGit = await git.run(['merge-tree', '--write-tree', one, other]);
      const tree = byGit.code === 0 ? byGit.stdout.toString('utf8').trim() : null;
      expect(await mergedTree(git, one, other)).toBe(tree);
    }
}, 120_000);

it('finds what no ref holds yet, past tags and refs to trees', async () => {
  const tree = await sh('git -C bare.git rev-parse main^{tree}');
  const stamp = 'Ann <ann@example.com> 1800000000 +0000';
  const content = `tree ${tree}\nparent ${commits[0]}\nauthor ${stamp}\ncommitter ${stamp}\n\nnew\n`;
  const oid = git.write('commit', Buffer.from(content));
  expect((await logCommits(git, [oid, '--not', '--all'])).map((commit) => commit.message)).toEqual(['new']);
  expect(await logCommits(git, [commits.at(-1)!, '--not', '--all'])).toEqual([]);
});

it('asks git where a commit is older than its parent', async () => {
  const tree = await sh('git -C bare.git rev-parse main^{tree}');
  const stamp = 'Ann <ann@example.com> 1000000000 +0000';
  const content = `tree ${tree}\nparent ${commits[0]}\nauthor ${stamp}\ncommitter ${stamp}\n\nskewed\n`;
  const oid = git.write('commit', Buffer.from(content));
  expect(await git.history.between(oid, [commits.at(-1)!])).toBeNull();
  expect((await logCommits(git, [`${commits[0]}..${oid}`])).map((commit) => commit.message)).toEqual([
    'skewed',
  ]);
});

it('writes objects that git finds whole', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 3_000 }), async (bytes) => {
      const oid = git.write('blob', Buffer.from(bytes));
      expect((await git.run(['cat-file', 'blob', oid])).stdout.equals(Buffer.from(bytes))).toBe(true);
      expect((await git.object(oid))?.content.equals(Buffer.from(bytes))).toBe(true);
    }),
    { numRuns: 20 },
  );
  expect((await git.run(['fsck', '--strict', '--no-dangling'])).stderr).toBe('');
});

it('moves refs in one transaction, and tells what git says when it does not', async () => {
  const [newest, older] = [commits[0]!, commits.at(-1)!];
  const move = (ref: string, before: string, after: string) => ({ ref, before, after });
  expect(await git.moveRefs([move('refs/heads/x', ZERO_OID, older)])).toBeNull();
  expect(
    await git.moveRefs([move('refs/heads/y', ZERO_OID, older), move('refs/heads/x', ZERO_OID, newest)]),
  ).toMatch(/reference already exists/);
  expect(await git.ref('refs/heads/y')).toBeNull();
  expect(await git.moveRefs([move('refs/heads/x/y', ZERO_OID, older)])).toMatch(/cannot lock ref/);
  expect(
    await git.moveRefs([move('refs/heads/y', ZERO_OID, older), move('refs/heads/x', older, newest)]),
  ).toBeNull();
  expect([await git.ref('refs/heads/x'), await git.ref('refs/heads/y')]).toEqual([newest, older]);
  expect(await git.moveRefs([move('refs/heads/x', newest, ZERO_OID)])).toBeNull();
  expect(await git.ref('refs/heads/x')).toBeNull();
});

it('lists refs sorted, whether they lie in files of their own or packed', async () => {
  const expected = async () =>
    (await sh('git -C bare.git for-each-ref --format="%(refname)"')).split('\n').sort();
  const names = async (prefix?: string) => (await git.refs(prefix)).map((ref) => ref.name);
  expect(await names()).toEqual(await expected());
  await sh('git -C bare.git pack-refs --all && git -C bare.git update-ref refs/heads/loose main');
  expect(await names()).toEqual(await expected());
  expect(await names('refs/heads/')).toEqual(
    await names().then((all) => all.filter((n) => n.startsWith('refs/heads/'))),
  );
  expect(await git.ref('refs/heads/../../config')).toBeNull();
});
