import { describe, expect, test } from 'vitest';
import { findSurplus, type NetChange } from '../../../src/landing/composition.ts';
import { joinQueue, leaveQueue } from '../../../src/landing/membership.ts';
import { findSilentReverts } from '../../../src/landing/silent-revert.ts';
import { memberOf, oid } from '../../support/snapshots.ts';

const side = (name: string, mode = '100644') => ({ mode, oid: oid(name) });
const change = (path: string, before: string | null, after: string | null, mode?: string): NetChange => ({
  path,
  before: before === null ? null : side(before),
  after: after === null ? null : side(after, mode),
});

describe('findSurplus', () => {
  const one = [change('a', 'a1', 'a2'), change('new', null, 'n1')];
  const two = [change('b', 'b1', null)];

  test('an exact composition has none', () => {
    expect(findSurplus([...one, ...two], [one, two])).toEqual([]);
    expect(findSurplus([], [])).toEqual([]);
  });

  test('a path that no member touches is surplus', () => {
    expect(findSurplus([...one, change('x', null, 'x1'), change('c', 'c1', null)], [one, two])).toEqual([
      'c',
      'x',
    ]);
  });

  test.each([
    ['other content', change('a', 'a1', 'a3')],
    ['a deletion', change('a', 'a1', null)],
    ['another mode', change('a', 'a1', 'a2', '100755')],
  ])('from the member’s own base side, %s than the member’s is surplus', (_what, altered) => {
    expect(findSurplus([altered], [one])).toEqual(['a']);
  });

  test('a merge with what landed meanwhile is not: its base side is another', () => {
    expect(findSurplus([change('a', 'a1b', 'a2b')], [one])).toEqual([]);
  });

  test('a path of two members is merged, so neither’s own result is expected', () => {
    expect(findSurplus([change('a', 'a1', 'a4')], [one, [change('a', 'a1', 'a3')]])).toEqual([]);
  });
});

describe('findSilentReverts', () => {
  const left = new Map([
    ['src/a.ts', [oid('a1'), oid('a2')]],
    ['src/new.ts', [null]],
    ['src/gone.ts', [oid('g1')]],
  ]);
  const blob = (path: string, before: string | null, after: string | null) => ({
    path,
    before: before === null ? null : oid(before),
    after: after === null ? null : oid(after),
  });

  test('a file put back to a version that trunk left is one, with the deletions beside it', () => {
    expect(findSilentReverts([blob('src/a.ts', 'a3', 'a1')], left)).toEqual(['src/a.ts']);
    expect(findSilentReverts([blob('src/new.ts', 'n1', null), blob('src/a.ts', 'a3', 'a2')], left)).toEqual([
      'src/a.ts',
      'src/new.ts',
    ]);
  });

  test.each([
    ['a version that trunk never had', blob('src/a.ts', 'a3', 'a4')],
    ['a deletion alone', blob('src/new.ts', 'n1', null)],
    ['a file brought back', blob('src/gone.ts', null, 'g1')],
    ['a version of another path', blob('src/b.ts', 'b2', 'a1')],
  ])('%s is none', (_what, changed) => {
    expect(findSilentReverts([changed], left)).toEqual([]);
  });
});

describe('membership', () => {
  const queue = { version: 1 as const, members: [memberOf(1, oid('a')), memberOf(2, oid('b'))], build: null };

  test('joining twice changes nothing; a newer candidate keeps the place', () => {
    expect(joinQueue(queue, memberOf(1, oid('a'), { queuedAt: '2026-03-02T00:00:00Z' }))).toEqual(queue);
    const newer = joinQueue(queue, memberOf(1, oid('c')));
    expect(newer.members.map((member) => [member.number, member.candidate])).toEqual([
      [1, oid('c')],
      [2, oid('b')],
    ]);
    expect(joinQueue(queue, memberOf(3, oid('d'))).members.map((member) => member.number)).toEqual([1, 2, 3]);
  });

  test('leaving keeps the others in their order; leaving twice changes nothing', () => {
    const without = leaveQueue(queue, 1);
    expect(without.members.map((member) => member.number)).toEqual([2]);
    expect(leaveQueue(without, 1)).toEqual(without);
  });
});
