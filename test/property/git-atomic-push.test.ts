import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Oid, zeroOid } from '../../src/domain/ids.ts';
import { atomicPush, type RefMove } from '../../src/git/atomic-push.ts';
import { type Clone, openClone } from '../../src/git/bare-clone.ts';
import { git, gitText } from '../../src/git/run-git.ts';
import { commitTree, writeTreeLevel } from '../../src/git/write-objects.ts';

const names = ['refs/heads/main', 'refs/heads/ccd/state', 'refs/heads/ccd/task/1'] as const;
const pushers = 3;

let folder: string;
let remote: string;
let clones: Clone[];
let values: Oid[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccd-property-'));
  remote = join(folder, 'remote.git');
  await git({ args: ['init', '--quiet', '--bare', '--template=', remote] });
  clones = [];
  for (let index = 0; index < pushers; index += 1) {
    clones.push(
      await openClone({ dir: join(folder, `clone-${index}.git`), remoteUrl: remote, token: async () => '' }),
    );
  }
  values = [zeroOid];
  for (const message of ['one', 'two', 'three']) {
    for (const dir of [remote, ...clones.map((clone) => clone.dir)]) {
      const tree = await writeTreeLevel(dir, []);
      const plan = { tree, parents: [], message, date: 1, person: { name: 'p', email: 'p@p' } };
      values[['', 'one', 'two', 'three'].indexOf(message)] = await commitTree(dir, plan);
    }
  }
});

afterAll(async () => {
  for (const clone of clones) await clone.close();
  await rm(folder, { recursive: true, force: true });
});

type Register = Map<string, Oid>;

async function readRemote(): Promise<Register> {
  const text = await gitText({ args: ['for-each-ref', '--format=%(refname) %(objectname)'], gitDir: remote });
  return new Map(text === '' ? [] : text.split('\n').map((line) => line.split(' ') as [string, Oid]));
}

async function setRemote(register: Register): Promise<void> {
  for (const name of names) {
    const oid = register.get(name);
    await git({ args: ['update-ref', ...(oid === undefined ? ['-d', name] : [name, oid])], gitDir: remote });
  }
}

/** The register after a push that moved, or null when a lease of it does not hold. */
function step(register: Register, moves: readonly RefMove[]): Register | null {
  if (moves.some(({ ref, expected }) => (register.get(ref) ?? zeroOid) !== expected)) return null;
  const next = new Map(register);
  for (const move of moves) {
    if (move.next === zeroOid) next.delete(move.ref);
    else next.set(move.ref, move.next);
  }
  return next;
}

const value = fc.integer({ min: 0, max: 3 });
const move = fc.tuple(value, value).filter(([expected, next]) => expected !== next);
const push = fc
  .tuple(fc.option(move, { nil: null }), fc.option(move, { nil: null }), fc.option(move, { nil: null }))
  .filter((moves) => moves.some((one) => one !== null));
const start = fc.tuple(value, value, value);

function movesOf(push: readonly ([number, number] | null)[]): RefMove[] {
  return push.flatMap((one, index) =>
    one === null
      ? []
      : [{ ref: names[index] ?? '', expected: values[one[0]] ?? zeroOid, next: values[one[1]] ?? zeroOid }],
  );
}

function registerOf(start: readonly number[]): Register {
  return new Map(
    names.flatMap((name, index): [string, Oid][] => {
      const oid = values[start[index] ?? 0] ?? zeroOid;
      return oid === zeroOid ? [] : [[name, oid]];
    }),
  );
}

function orders<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, at) => orders(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

const sorted = (register: Register) => JSON.stringify([...register].sort());

describe('atomic push', () => {
  it('one after the other is a register that moves whole or not at all', async () => {
    await fc.assert(
      fc.asyncProperty(start, fc.array(push, { minLength: 1, maxLength: 4 }), async (begin, pushes) => {
        let model = registerOf(begin);
        await setRemote(model);
        for (const [index, one] of pushes.entries()) {
          const clone = clones[index % pushers];
          if (clone === undefined) throw new Error('no clone');
          const moves = movesOf(one);
          const expected = step(model, moves);
          const result = await atomicPush(clone, moves);
          expect(result.kind).toBe(expected === null ? 'lost' : 'moved');
          model = expected ?? model;
          expect(sorted(await readRemote())).toBe(sorted(model));
        }
      }),
      { numRuns: 12 },
    );
  }, 240_000);

  it('all at once ends as in some order, with exactly the winners of that order', async () => {
    await fc.assert(
      fc.asyncProperty(start, fc.array(push, { minLength: 2, maxLength: pushers }), async (begin, pushes) => {
        const first = registerOf(begin);
        await setRemote(first);
        const moves = pushes.map(movesOf);
        const results = await Promise.all(
          moves.map(async (one, index) => {
            const clone = clones[index];
            if (clone === undefined) throw new Error('no clone');
            return (await atomicPush(clone, one)).kind;
          }),
        );
        // A loser may also have lost to a lock that a later loser held: only winners have a place in the order.
        const winners = moves.filter((_, index) => results[index] === 'moved');
        expect(results.every((word) => word === 'moved' || word === 'lost')).toBe(true);
        const ends = orders(winners).map((order) =>
          order.reduce<Register | null>((register, one) => register && step(register, one), first),
        );
        const now = sorted(await readRemote());
        expect(ends.some((end) => end !== null && sorted(end) === now)).toBe(true);
      }),
      { numRuns: 10 },
    );
  }, 240_000);
});
