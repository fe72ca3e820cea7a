import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { changedLines } from '../../../../src/local/git/diff.ts';
import { countLines } from '../../../../src/local/git/line-counts.ts';
import { GitRepository } from '../../../../src/local/git/repository.ts';
import { runGit } from '../../../../src/local/git/run-git.ts';

let dir = '';
let git: GitRepository;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ccd-line-counts-'));
  await runGit(['init', '-q', '--bare', '.'], { cwd: dir });
  git = new GitRepository(dir);
});
afterAll(async () => {
  await git.close();
  await rm(dir, { recursive: true, force: true });
});

type Files = Readonly<Record<string, { readonly mode: string; readonly content: string }>>;

let mark = 0;

/** Commits with these files and nothing else, by git itself. */
async function commitsOf(all: readonly Files[]): Promise<string[]> {
  const first = mark + 1;
  const text = all.map((files) => {
    mark += 1;
    const entries = Object.entries(files).map(
      ([path, { mode, content }]) =>
        `M ${mode} inline ${path}\ndata ${Buffer.byteLength(content)}\n${content}\n`,
    );
    return `commit refs/heads/c${mark}\nmark :${mark}\ncommitter T <t@example.com> ${mark} +0000\ndata 0\n${entries.join('')}\n`;
  });
  await git.run(['fast-import', '--quiet'], { input: text.join('') });
  const refs = await Promise.all(all.map((_, at) => git.ref(`refs/heads/c${first + at}`)));
  return refs.map((oid) => oid!);
}

async function byGit(from: string, to: string) {
  const { stdout } = await git.run(['diff', '-M', '--numstat', from, to]);
  const lines = stdout
    .toString('utf8')
    .split('\n')
    .filter((one) => one !== '');
  return lines.map((line) =>
    line
      .split('\t')
      .slice(0, 2)
      .map((count) => Number(count) || 0),
  );
}

const line = fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'a\r\n', 'a', '\u{fc}\n');
const content = fc.oneof(
  { weight: 12, arbitrary: fc.array(line, { maxLength: 7 }).map((lines) => lines.join('')) },
  { weight: 1, arbitrary: fc.constant('a\n\0b\n') },
);
const mode = fc.constantFrom('100644', '100644', '100644', '100644', '100755', '120000');
const path = fc.constantFrom('one', 'two', 'dir/one', 'dir/two');
const files = fc.dictionary(path, fc.record({ mode, content }), { maxKeys: 3, noNullPrototype: true });

it('counts as git does wherever it counts by itself', async () => {
  const worlds = fc.sample(files, { numRuns: 60, seed: 11 });
  const commits = await commitsOf(worlds);
  let counted = 0;
  let asked = 0;
  for (const [at, to] of commits.entries()) {
    const from = commits[(at * 7 + 1) % commits.length]!;
    const told = (counts: readonly { additions: number; deletions: number }[] | null) =>
      counts?.map(({ additions, deletions }) => [additions, deletions]).sort() ?? null;
    const ours = told(await countLines(git, from, to));
    const truth = (await byGit(from, to)).sort();
    if (ours === null) asked += 1;
    else counted += 1;
    expect(ours ?? truth, JSON.stringify([worlds[(at * 7 + 1) % commits.length], worlds[at]])).toEqual(truth);
    expect(told(await changedLines(git, from, to))).toEqual(truth);
  }
  expect(counted).toBeGreaterThan(10);
  expect(asked).toBeGreaterThan(10);
}, 60_000);

it('leaves attributes, links and what may be renamed to git', async () => {
  const text = (lines: string) => ({ mode: '100644', content: lines });
  const [base, attributes, renamed, link] = await commitsOf([
    { one: text('a\n') },
    { one: text('b\n'), '.gitattributes': text('one binary\n') },
    { two: text('a\n') },
    { one: { mode: '120000', content: 'a' } },
  ]);
  for (const to of [attributes!, renamed!, link!]) expect(await countLines(git, base!, to)).toBeNull();
  expect(await countLines(git, base!, base!)).toEqual([]);
});
