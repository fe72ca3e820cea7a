import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { movedTo, placeOf, renameRepo, sendOn } from '../../../src/local/moved-repos.ts';
import type { Repo } from '../../../src/local/records/repository.ts';
import { createRepo, createUser } from '../../../src/local/seed.ts';
import { Store } from '../../../src/local/store.ts';

let one: Repo;
let two: Repo;
const all = () => [one, two];

beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'ccd-moved-'));
  const store = new Store({ dataDir });
  const owner = createUser(store, 'Acme', 'Organization');
  one = await createRepo(store, { owner, name: 'One' });
  two = await createRepo(store, { owner, name: 'two' });
  return () => rm(dataDir, { recursive: true, force: true });
});

// GitHub documentation, REST, "Best practices for using the REST API", redirects; "Renaming a repository".
describe('the place of a path', () => {
  it('is itself for a name in use, for an unknown one, and outside of repositories', () => {
    for (const path of ['/repos/acme/one/issues', '/repos/acme/none', '/user', '/repositories/1/issues'])
      expect(placeOf(all(), path)).toEqual({ kind: 'here', path });
  });

  it('is the repository of an id, under its present name', () => {
    expect(placeOf(all(), `/repositories/${one.id}`)).toEqual({ kind: 'here', path: '/repos/Acme/One' });
    expect(placeOf(all(), `/repositories/${two.id}/git/ref/heads%2Fmain`)).toEqual({
      kind: 'here',
      path: '/repos/Acme/two/git/ref/heads%2Fmain',
    });
  });

  it('is elsewhere for a former name, however it is written, until another repository takes the name', () => {
    renameRepo(all(), one, 'first');
    const moved = { kind: 'moved', path: `/repositories/${one.id}/issues/1` };
    expect(placeOf(all(), '/repos/ACME/one/issues/1')).toEqual(moved);
    expect(placeOf(all(), '/repos/acme/%4fne/issues/1')).toEqual(moved);
    expect(movedTo(all(), 'acme/ONE')).toBe(one);
    const hidden = placeOf(all(), '/repos/acme/one', (repo) => repo !== one);
    expect(hidden, 'to whom may not see it').toEqual({ kind: 'here', path: '/repos/acme/one' });
    renameRepo(all(), two, 'one');
    expect(placeOf(all(), '/repos/acme/one')).toEqual({ kind: 'here', path: '/repos/acme/one' });
    expect(movedTo(all(), 'acme/two')).toBe(two);
  });

  it('is its own again once it has its old name back', () => {
    renameRepo(all(), two, 'two');
    expect(placeOf(all(), '/repos/acme/two')).toEqual({ kind: 'here', path: '/repos/acme/two' });
    expect(movedTo(all(), 'acme/one'), 'the one that had it last').toBe(two);
  });
});

it('sends reads on for good, and writes with method and body', () => {
  const there = 'http://localhost/api/v3/repositories/1';
  expect(sendOn('GET', there)).toMatchObject({ status: 301, headers: { location: there } });
  expect(sendOn('PATCH', there)).toMatchObject({ status: 307, body: { url: there } });
});
