import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createComment } from '../../../../src/local/issues/comments.ts';
import { createIssue } from '../../../../src/local/issues/create.ts';
import type { Actor } from '../../../../src/local/principal.ts';
import { openKept } from '../../../../src/local/saved/open-kept.ts';
import { createRepo, createUser } from '../../../../src/local/seed.ts';

const dir = await mkdtemp(join(tmpdir(), 'ccd-large-'));
const fail = (fault: unknown): never => {
  throw fault;
};

afterAll(() => rm(dir, { recursive: true, force: true }));

it('10,000 issues and 2,000 pull requests open in less than 3 s', async () => {
  const first = await openKept({ dataDir: dir }, fail);
  const { store } = first.github;
  const owner = createUser(store, 'ada');
  const repo = await createRepo(store, { owner, name: 'demo' });
  const actor: Actor = { user: owner, app: null, via: 'user' };
  const tree = repo.git.write('tree', Buffer.alloc(0));
  const who = 'Ada <ada@example.com> 1700000000 +0000';
  const oid = repo.git.write(
    'commit',
    Buffer.from(`tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nFirst\n`),
  );
  const refs = ['main', ...Array.from({ length: 2000 }, (_, n) => `topic/${n}`)];
  const input = refs.map((name) => `create refs/heads/${name} ${oid}\n`).join('');
  expect((await repo.git.run(['update-ref', '--stdin'], { input })).code).toBe(0);
  for (let n = 0; n < 12_000; n += 1) {
    const issue = createIssue(store, repo, actor, {
      title: `Number ${n}`,
      body: 'Some text. '.repeat(20),
      labels: ['one'],
    });
    // Without the events of a pull request, each of which would look for workflows in git.
    if (n >= 10_000) Object.assign(issue, { pull: pullOf(n, oid) });
    if (n % 4 === 0) createComment(store, repo, issue, actor, 'A comment. '.repeat(10));
  }
  await first.close();

  const began = performance.now();
  const second = await openKept({ dataDir: dir }, fail);
  const took = performance.now() - began;
  const kept = [...second.github.store.repoByName('ada', 'demo')!.issues.values()];
  await second.close();
  expect(kept.length).toBe(12_000);
  expect(kept.filter((issue) => issue.pull !== null && issue.state === 'open').length).toBe(2000);
  expect(took).toBeLessThan(3000);
});

const pullOf = (n: number, oid: string) => ({
  id: n,
  nodeId: `PR_${n}`,
  draft: false,
  headRef: `topic/${n - 10_000}`,
  headSha: oid,
  baseRef: 'main',
  baseSha: oid,
  merged: false,
  mergedAt: null,
  mergedBy: null,
  mergeCommitSha: null,
  mergeable: null,
  reviews: [],
});
