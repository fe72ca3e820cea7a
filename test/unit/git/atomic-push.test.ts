import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { zeroOid } from '../../../src/domain/ids.ts';
import { atomicPush } from '../../../src/git/atomic-push.ts';
import { git } from '../../../src/git/run-git.ts';
import { serveOverHttp } from './http-remote.ts';
import { commitFiles, makeClone, makeRemote, refsOf } from './repositories.ts';
import { openTransport, type TransportName, transportNames } from './transports.ts';

const main = 'refs/heads/main';
const state = 'refs/heads/ccd/state';

async function start(name: TransportName) {
  const transport = await openTransport(name);
  const first = await commitFiles(transport.dir, { a: '1' }, { ref: main });
  await git({ args: ['update-ref', state, first], gitDir: transport.dir });
  const clone = await makeClone(transport.url, transport.token);
  await clone.fetch();
  const next = await commitFiles(clone.dir, { a: '2' }, { parents: [first] });
  return { ...transport, clone, first, next };
}

describe.each(transportNames)('atomic push over %s', { timeout: 120_000 }, (kind) => {
  it('moves, creates and deletes refs together when every lease holds', async () => {
    const { dir, clone, first, next } = await start(kind);
    await git({ args: ['update-ref', 'refs/heads/ccd/queue/1', first], gitDir: dir });
    const result = await atomicPush(clone, [
      { ref: main, expected: first, next },
      { ref: 'refs/heads/ccd/task/7', expected: zeroOid, next },
      { ref: 'refs/ccd/refused/7.1.1', expected: zeroOid, next: first },
      { ref: 'refs/heads/ccd/queue/1', expected: first, next: zeroOid },
    ]);
    expect(result).toEqual({ kind: 'moved' });
    expect(await refsOf(dir)).toEqual({
      [main]: next,
      [state]: first,
      'refs/heads/ccd/task/7': next,
      'refs/ccd/refused/7.1.1': first,
    });
  });

  it('moves nothing when one lease is stale', async () => {
    const { dir, clone, first, next } = await start(kind);
    const before = await refsOf(dir);
    const result = await atomicPush(clone, [
      { ref: main, expected: first, next },
      { ref: state, expected: next, next: await commitFiles(clone.dir, { b: '' }) },
    ]);
    expect(result).toEqual({ kind: 'lost', refs: [{ ref: state, reason: 'stale' }] });
    expect(await refsOf(dir)).toEqual(before);
  });

  it('takes a ref that somebody else moved to the same value for lost', async () => {
    const { dir, clone, first, next } = await start(kind);
    const before = await refsOf(dir);
    const alone = await atomicPush(clone, [{ ref: main, expected: next, next: first }]);
    const among = await atomicPush(clone, [
      { ref: main, expected: next, next: first },
      { ref: state, expected: first, next },
    ]);
    expect(alone.kind).toBe('lost');
    expect(among.kind).toBe('lost');
    expect(await refsOf(dir)).toEqual(before);
  });

  it('does not create what is there nor delete what is gone', async () => {
    const { dir, clone, next } = await start(kind);
    const before = await refsOf(dir);
    expect((await atomicPush(clone, [{ ref: main, expected: zeroOid, next }])).kind).toBe('lost');
    const gone = { ref: 'refs/heads/ccd/task/9', expected: next, next: zeroOid };
    expect((await atomicPush(clone, [gone])).kind).toBe('lost');
    expect(await refsOf(dir)).toEqual(before);
  });

  it('lets exactly one of many pushers win a lease', async () => {
    const { dir, url, token, first } = await start(kind);
    const pushers = await Promise.all(
      [1, 2, 3].map(async (index) => {
        const clone = await makeClone(url, token);
        await clone.fetch();
        return { clone, next: await commitFiles(clone.dir, { a: `${index}` }, { parents: [first] }) };
      }),
    );
    const results = await Promise.all(
      pushers.map(({ clone, next }) =>
        atomicPush(clone, [
          { ref: main, expected: first, next },
          { ref: state, expected: first, next },
        ]),
      ),
    );
    expect(results.map(({ kind: word }) => word).sort()).toEqual(['lost', 'lost', 'moved']);
    const winner = pushers[results.findIndex(({ kind: word }) => word === 'moved')];
    expect(await refsOf(dir)).toEqual({ [main]: winner?.next, [state]: winner?.next });
  });

  it('refuses a name that would be a folder of another ref, and moves nothing', async () => {
    const { dir, clone, first, next } = await start(kind);
    const before = await refsOf(dir);
    const result = await atomicPush(clone, [
      { ref: main, expected: first, next },
      { ref: `${state}/x`, expected: zeroOid, next },
    ]);
    expect(result).toMatchObject({ kind: 'refused', reason: 'ref-conflict' });
    expect(await refsOf(dir)).toEqual(before);
  });

  it('tells a refusing rule from a lost race', async () => {
    const { dir, clone, first, next, forbidUpdates } = await start(kind);
    await forbidUpdates('main');
    const before = await refsOf(dir);
    const result = await atomicPush(clone, [
      { ref: main, expected: first, next },
      { ref: 'refs/heads/ccd/task/1', expected: zeroOid, next },
    ]);
    expect(result).toMatchObject({ kind: 'refused', reason: 'rules', refs: [main] });
    expect(result.kind === 'refused' && result.detail).toContain('GH013');
    expect(await refsOf(dir)).toEqual(before);
  });
});

describe.each(['http', 'local GitHub'] as const)('atomic push over %s that gets no answer', (kind) => {
  it('is unclear when the answer is lost after the move, and the read shows it', async () => {
    const { clone, first, next, loseAnswers, dir } = await start(kind);
    loseAnswers(true);
    const moves = [{ ref: main, expected: first, next }];
    expect((await atomicPush(clone, moves)).kind).toBe('unclear');
    expect((await refsOf(dir))[main]).toBe(next);
    loseAnswers(false);
    expect((await clone.lsRemote([main])).get(main)).toBe(next);
    expect((await atomicPush(clone, moves)).kind).toBe('lost');
  });
});

describe('atomic push that is turned away', () => {
  it('by a server that forbids is refused, with the token blotted out', async () => {
    const dir = await makeRemote();
    const first = await commitFiles(dir, { a: '1' }, { ref: main });
    const http = await serveOverHttp(dir);
    const clone = await makeClone(http.url, 'secret-token');
    await clone.fetch();
    const next = await commitFiles(clone.dir, { a: '2' }, { parents: [first] });
    http.fault = 'forbid';
    const result = await atomicPush(clone, [{ ref: main, expected: first, next }]);
    expect(result).toMatchObject({ kind: 'refused', reason: 'permission' });
    expect(JSON.stringify(result)).not.toContain('secret-token');
    expect(http.authorizations.at(-1)).toBe(
      `Basic ${Buffer.from('x-access-token:secret-token').toString('base64')}`,
    );
  });

  it('by a wrong token is refused', async () => {
    const { url, clone, first, next } = await start('local GitHub');
    const stranger = await makeClone(url, 'ghp_wrong');
    await commitFiles(stranger.dir, { a: '1' });
    const moved = await commitFiles(stranger.dir, { a: '2' }, { parents: [first] });
    expect(moved).toBe(next);
    const result = await atomicPush(stranger, [{ ref: main, expected: first, next }]);
    expect(result).toMatchObject({ kind: 'refused', reason: 'permission' });
    expect((await clone.lsRemote([main])).get(main)).toBe(first);
  });

  it('is unclear when the remote is gone', async () => {
    const { clone, first, next, dir } = await start('file');
    await rm(dir, { recursive: true });
    expect((await atomicPush(clone, [{ ref: main, expected: first, next }])).kind).toBe('unclear');
  });
});

/** A hook on the server that kills the pushing git, found above it in the process tree, at its very moment. */
const killer = `#!/bin/sh
pid=$PPID
until tr '\\0' ' ' <"/proc/$pid/cmdline" | grep -q 'git push '; do
  pid=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$pid/status")
  test "$pid" -gt 1 || exit 1
done
kill -9 "$pid"
`;

describe('atomic push whose git is killed', () => {
  it.each([
    ['before the server moves anything', 'pre-receive'],
    ['after the server moved everything', 'post-receive'],
  ])('%s leaves all refs or none, and says that it does not know', async (_when, name) => {
    const { dir, clone, first, next } = await start('file');
    await mkdir(join(dir, 'hooks'), { recursive: true });
    const hook = join(dir, 'hooks', name);
    await writeFile(hook, killer);
    await chmod(hook, 0o755);
    const moves = [
      { ref: main, expected: first, next },
      { ref: state, expected: first, next },
    ];
    expect(await atomicPush(clone, moves)).toMatchObject({ kind: 'unclear' });
    await rm(hook);
    await expect.poll(async () => await settled(dir, name === 'post-receive' ? next : null)).toBe(true);
    const now = await refsOf(dir);
    expect([first, next]).toContain(now[main]);
    expect(now[state]).toBe(now[main]);
    expect((await atomicPush(clone, moves)).kind).toBe(now[main] === first ? 'moved' : 'lost');
    expect(await refsOf(dir)).toEqual({ [main]: next, [state]: next });
  });
});

/** Is the server's side of the killed push over? It holds no lock, and where it must have moved, it has. */
async function settled(dir: string, must: string | null): Promise<boolean> {
  const names = await readdir(dir, { recursive: true });
  const busy = names.some((file) => file.endsWith('.lock') || file.includes('incoming-'));
  return !busy && (must === null || (await refsOf(dir))[main] === must);
}

describe('atomic push of nonsense', () => {
  it('throws before anything is sent', async () => {
    const { clone, first, next } = await start('file');
    const bad = [
      [],
      [{ ref: main, expected: first, next: first }],
      [{ ref: 'main', expected: first, next }],
      [{ ref: 'refs/heads/a:b', expected: first, next }],
      [{ ref: main, expected: first, next: 'HEAD' }],
      [
        { ref: main, expected: first, next },
        { ref: main, expected: next, next: first },
      ],
    ];
    for (const moves of bad)
      await expect(atomicPush(clone, moves)).rejects.toMatchObject({ code: 'git.push-malformed' });
    const absent = [{ ref: main, expected: first, next: '1'.repeat(40) }];
    await expect(atomicPush(clone, absent)).rejects.toMatchObject({ code: 'git.push-malformed' });
  });
});
