import { expect } from 'vitest';
import { behaviours } from './support/behaviours.ts';
import type { Target } from './support/target.ts';

/** Addresses of a `Link` header by their relation. */
function links(header: string | null | undefined): Record<string, string> {
  const found = [...(header ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)];
  return Object.fromEntries(found.map((match) => [match[2]!, match[1]!]));
}

const pageOf = (address: string | undefined): string | null =>
  address === undefined ? null : new URL(address).searchParams.get('page');

async function open(t: Target, head: string, base = 'main') {
  return (await t.as('owner').rest.pulls.create({ ...t.at, head, base, title: head })).data;
}

/** Many small files, made by git itself. */
async function manyFiles(t: Target, branch: string, count: number): Promise<void> {
  const made = await t.git(
    `git fetch -q origin && git checkout -q -f --detach origin/main && mkdir -p many/${branch} &&
     for n in $(seq ${count}); do echo $n > many/${branch}/$n.txt; done &&
     git add -A && git commit -q -m many && git push -q origin HEAD:refs/heads/${branch}`,
  );
  expect(made.code, made.out).toBe(0);
}

behaviours('lists', [
  {
    does: 'pages have links to the next, the last, the first and the one before',
    source: 'REST, "Using pagination in the REST API"',
    show: async (t) => {
      for (const title of ['a', 'b', 'c', 'd', 'e'])
        await t.as('owner').rest.issues.create({ ...t.at, title });
      const page = (number: number) =>
        t.as('owner').rest.issues.listForRepo({ ...t.at, per_page: 2, page: number, state: 'all' });
      const first = links((await page(1)).headers.link);
      expect([pageOf(first.next), pageOf(first.last), first.prev]).toEqual(['2', '3', undefined]);
      const middle = links((await page(2)).headers.link);
      expect([middle.next, middle.prev, middle.first].map(pageOf)).toEqual(['3', '1', '1']);
      const last = await page(3);
      expect([last.data.length, links(last.headers.link).next]).toEqual([1, undefined]);
      expect((await page(9)).data).toEqual([]);
      const all = await t.as('owner').paginate(t.as('owner').rest.issues.listForRepo, {
        ...t.at,
        per_page: 2,
        state: 'all',
      });
      expect(all.map((issue) => issue.title)).toEqual(['e', 'd', 'c', 'b', 'a']);
    },
  },
  {
    does: 'a page holds 30 unless asked, and 100 at most',
    source: 'REST, "Using pagination in the REST API"',
    needs: ['much content'],
    show: async (t) => {
      for (let n = 0; n < 110; n += 1)
        await t.as('owner').rest.issues.createLabel({ ...t.at, name: `p${n}`, color: '000000' });
      const list = async (per_page?: number) =>
        (await t.as('owner').rest.issues.listLabelsForRepo({ ...t.at, ...(per_page ? { per_page } : {}) }))
          .data.length;
      expect([await list(), await list(50), await list(1_000)]).toEqual([30, 50, 100]);
    },
  },
  {
    does: 'patches of binary and of large files are left out, their counts are not',
    source: 'pulls/list-files, patch; reference, limits, listings',
    show: async (t) => {
      const large = Array.from({ length: 60_000 }, (_, line) => `line ${line}`).join('\n');
      await t.push('patches', {
        'small.txt': 's\n',
        'picture.bin': Buffer.from([0, 1, 2, 0, 255]),
        'large.txt': `${large}\n`,
      });
      const pull = await open(t, 'patches');
      const files = (await t.as('owner').rest.pulls.listFiles({ ...t.at, pull_number: pull.number })).data;
      const byName = new Map(files.map((file) => [file.filename, file]));
      expect(byName.get('small.txt')?.patch).toBe('@@ -0,0 +1 @@\n+s');
      expect(byName.get('picture.bin')?.patch).toBeUndefined();
      expect(byName.get('large.txt')?.patch).toBeUndefined();
      expect(byName.get('large.txt')?.additions).toBe(60_000);
    },
  },
  {
    does: 'a comparison shows 300 files, on its first page; a pull request 3,000',
    source: 'repos/compare-commits-with-basehead; pulls/list-files; reference, limits, listings',
    show: async (t) => {
      await manyFiles(t, 'many', 3_001);
      const { repos, pulls } = t.as('owner').rest;
      const compare = (page: object) =>
        repos.compareCommitsWithBasehead({ ...t.at, basehead: 'main...many', ...page });
      expect((await compare({})).data.files).toHaveLength(300);
      expect((await compare({ page: 2, per_page: 1 })).data.files ?? []).toHaveLength(0);
      const pull = await open(t, 'many');
      expect(pull.changed_files).toBe(3_001);
      const at = { ...t.at, pull_number: pull.number, per_page: 100 };
      expect((await pulls.listFiles({ ...at, page: 30 })).data).toHaveLength(100);
      expect((await pulls.listFiles({ ...at, page: 31 })).data).toHaveLength(0);
    },
  },
  {
    does: 'a comparison counts all commits and shows a page of them',
    source: 'REST, "Compare two commits"',
    show: async (t) => {
      const made = await t.git(
        'git fetch -q origin && git checkout -q -f --detach origin/main && for n in 1 2 3 4 5; do git commit -q --allow-empty -m $n; done && git push -q origin HEAD:refs/heads/five',
      );
      expect(made.code, made.out).toBe(0);
      const { repos } = t.as('owner').rest;
      const at = { ...t.at, basehead: 'main...five' };
      const all = (await repos.compareCommitsWithBasehead(at)).data;
      expect([all.ahead_by, all.total_commits, all.commits.length, all.status]).toEqual([5, 5, 5, 'ahead']);
      const second = (await repos.compareCommitsWithBasehead({ ...at, per_page: 2, page: 2 })).data;
      expect(second.commits.map((one) => one.commit.message)).toEqual(['3', '4']);
      expect(second.total_commits).toBe(5);
    },
  },
]);
