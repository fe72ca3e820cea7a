import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ComputeInput } from '../../../src/app/compute/compute-input.ts';
import { jsonOf } from '../../../src/app/compute/download.ts';
import { offerTree } from '../../../src/app/compute/publish-tree.ts';
import { judgeTrees } from '../../../src/app/judge/judge-trees.ts';
import type { Oid } from '../../../src/domain/ids.ts';
import { resultReportSchema } from '../../../src/domain/report.ts';
import { taskStateSchema } from '../../../src/domain/state.ts';
import type { Clone } from '../../../src/git/bare-clone.ts';
import { type TreeFile, writeBlob, writeTree } from '../../../src/git/write-objects.ts';
import { loadParsers, wasmOfPackages } from '../../../src/guard/parse/load-parsers.ts';
import type { Parsers } from '../../../src/guard/parse/syntax.ts';
import { issueOf, policyOf, readerOf, snapshotOf, taskOf } from '../../support/snapshots.ts';
import { repositoryOf } from '../../support/supervisor-nouns.ts';
import { commitFiles, makeClone, makeRemote } from '../git/repositories.ts';

// Put together here, so that this file holds nothing shaped like a token.
const token = `${['gh', 'p_'].join('')}${'a1B2'.repeat(9)}`;
const baseFiles = { 'src/a.js': 'export const a = 1;\n' };

let parsers: Parsers;
beforeAll(async () => {
  parsers = await loadParsers(wasmOfPackages());
});

let clone: Clone;
let base: Oid;
beforeEach(async () => {
  const remote = await makeRemote();
  base = await commitFiles(remote, baseFiles, { ref: 'refs/heads/main' });
  clone = await makeClone(remote);
  await clone.fetch();
});

/** What the app makes of a tree that a worker handed in, whatever that worker had looked for itself. */
async function offer(more: readonly TreeFile[]) {
  const issue = issueOf(1, { body: body });
  const policy = policyOf();
  const input = {
    context: { clone, judge: (request: Parameters<typeof judgeTrees>[0]) => judgeTrees(request, parsers) },
    snapshot: snapshotOf({ issues: [issue], tasks: [taskOf(issue)] }),
    state: { repository: repositoryOf(), tasks: new Map([[1, taskOf(issue)]]) },
    policy,
    readSpec: readerOf(policy),
  } as unknown as ComputeInput;
  const { tree: baseTree } = await clone.objects.readCommit(base);
  const files = [
    { path: 'src/a.js', mode: '100644', oid: await writeBlob(clone.dir, baseFiles['src/a.js']) },
  ];
  const tree = await writeTree(clone.dir, [...files, ...more]);
  return offerTree(input, {
    issue: 1,
    attempt: '1.1',
    sequence: 1,
    base,
    baseTree,
    tree,
    date: 1_700_000_000,
  });
}

const body = [
  '### Kind\n\nfix\n\n### Objective\n\nMend it.\n\n### Acceptance criteria\n\n- It works',
  '### Allowed paths\n\n- `src/**`\n- `test/**`\n\n### Target tests\n\n- `test/a.test.js::works`\n',
].join('\n\n');

const blob = (path: string, text: string, mode = '100644') =>
  writeBlob(clone.dir, text).then((oid) => ({ path, mode, oid }));

describe('a tree of a worker that cannot be trusted', () => {
  it('that is honest goes to the branches of its task', async () => {
    const offered = await offer([await blob('src/b.js', 'export const b = 2;\n')]);
    expect(offered).toMatchObject({ kind: 'candidate' });
    if (offered.kind !== 'candidate') return;
    expect(offered.moves.map(({ ref }) => ref)).toEqual([
      'refs/heads/ccd/task/1',
      'refs/heads/ccd/attempt/1.1',
    ]);
  });

  it.each([
    ['a token in a source file', 'secret', () => blob('src/b.js', `export const b = '${token}';\n`)],
    ['a token in a name', 'secret', () => blob(`src/${token}.js`, 'export const b = 2;\n')],
    ['a token in a link', 'secret', () => blob('src/link', token, '120000')],
    ['a link', 'symlink', () => blob('src/link', '/etc/passwd', '120000')],
    [
      'a submodule',
      'submodule',
      () => Promise.resolve({ path: 'src/sub', mode: '160000', oid: '1'.repeat(40) }),
    ],
    ['attributes that run filters', 'attributes', () => blob('.gitattributes', '* filter=evil\n')],
    ['settings of the agent', 'agent-instructions', () => blob('.claude/settings.json', '{}\n')],
    ['a workflow', 'ci-workflow', () => blob('.github/workflows/evil.yml', 'on: push\n')],
  ])('with %s reaches no branch', async (_what, word, make) => {
    const offered = await offer([await make()]);
    expect(offered.kind).toBe('refused');
    if (offered.kind !== 'refused') return;
    expect(offered.moves.map(({ ref }) => ref)).toEqual(['refs/ccd/refused/1.1.1']);
    expect(offered.findings.map((finding) => `${finding.rule} ${finding.class}`)).toContainEqual(
      expect.stringMatching(new RegExp(`^R0 .*${word}`)),
    );
    expect(JSON.stringify(offered)).not.toContain(token);
    const { message, parents } = await clone.objects.readCommit(offered.commit);
    expect([parents, message.includes(token)]).toEqual([[base], false]);
  });

  it('with thousands of files out of scope is refused, and the state can be read again', async () => {
    const oid = await writeBlob(clone.dir, 'x\n');
    const long = `${'d'.repeat(120)}/${'n'.repeat(120)}`;
    const files = Array.from({ length: 5000 }, (_, at) => ({
      path: `out/${long}.${at}`,
      mode: '100644',
      oid,
    }));
    const offered = await offer(files);
    expect(offered.kind).toBe('refused');
    if (offered.kind !== 'refused') return;
    const refused = { commit: offered.commit, findings: [...offered.findings] };
    expect(taskStateSchema.safeParse({ ...taskOf(issueOf(1)), refused }).error).toBeUndefined();
  });
});

describe('a report that is made to bring its reader down', () => {
  const read = (text: string | Buffer) => jsonOf(new Map([['r', Buffer.from(text)]]), 'r');

  it('by depth, by size, or by being none, is no report', () => {
    expect(read('['.repeat(1_000_000) + ']'.repeat(1_000_000))).toBeNull();
    expect(read(`${'{"a":'.repeat(101)}1${'}'.repeat(101)}`)).toBeNull();
    expect(read(`[${' '.repeat(33 * 1024 * 1024)}]`)).toBeNull();
    expect(read(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`)).not.toBeNull();
    for (const text of ['', '{', '\u0000', '[1,]', '"']) expect(read(text)).toBeNull();
  });

  it('is read when brackets stand in its texts only', () => {
    const value = { text: '[{"\\'.repeat(500), list: [[{}]] };
    expect(read(JSON.stringify(value))).toEqual(value);
  });

  it('by names that objects have already, changes nothing and is refused', () => {
    for (const text of [
      '{"__proto__":{"version":1,"status":"ready"}}',
      '{"constructor":{"prototype":{"status":"ready"}}}',
    ]) {
      expect(resultReportSchema.safeParse(read(text)).success).toBe(false);
      expect(({} as Record<string, unknown>).status).toBeUndefined();
    }
  });
});
