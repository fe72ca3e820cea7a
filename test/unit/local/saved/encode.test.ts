import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GitRepository } from '../../../../src/local/git/repository.ts';
import { BlobFolder } from '../../../../src/local/saved/blob-folder.ts';
import { decode, encode } from '../../../../src/local/saved/encode.ts';

let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ccd-encode-'));
});

afterAll(() => rm(dir, { recursive: true, force: true }));

function round(value: unknown): unknown {
  const blobs = new BlobFolder(join(dir, 'blobs'));
  const text = encode(value, dir, blobs, new Set());
  // As a file keeps it.
  return decode(Buffer.from(text).toString('utf8'), dir, new BlobFolder(join(dir, 'blobs')));
}

describe('encode', () => {
  it('gives back any record as it was: Maps, Sets, half surrogates, keys called __proto__', () => {
    const anything = fc.anything({
      withMap: true,
      withSet: true,
      withDate: true,
      withNullPrototype: true,
      key: fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString')),
      values: [
        fc.string({ unit: 'binary' }),
        fc.integer(),
        fc.double(),
        fc.boolean(),
        fc.constantFrom(undefined, null, '\ud800', '\udc00x', '</script>'),
      ],
    });
    fc.assert(
      fc.property(anything, (value) => {
        expect(round({ value })).toEqual({ value });
      }),
    );
    const polluted = JSON.parse('{"__proto__":{"evil":true},"a":1}') as object;
    expect(Object.keys(round(polluted) as object)).toEqual(['__proto__', 'a']);
    expect(({} as { evil?: boolean }).evil).toBeUndefined();
  });

  it('keeps what is shared shared, and circles', () => {
    const user = { login: 'ada' };
    const repo: Record<string, unknown> = { owner: user, all: new Map([[1, user]]) };
    repo.self = repo;
    const back = round(repo) as typeof repo & { all: Map<number, unknown> };
    expect(back.self).toBe(back);
    expect(back.all.get(1)).toBe(back.owner);
  });

  it('puts bytes into files of their own and takes no others for them', async () => {
    const data = Buffer.from('artifact');
    const names = new Set<string>();
    const blobs = new BlobFolder(join(dir, 'bytes'));
    const text = encode({ data }, dir, blobs, names);
    expect(text).not.toContain('artifact');
    expect(decode(text, dir, blobs)).toEqual({ data });
    await writeFile(join(dir, 'bytes', [...names][0]!), 'artifakt');
    expect(() => decode(text, dir, blobs)).toThrow(/damaged/);
    blobs.keepOnly(new Set());
    expect(await readdir(join(dir, 'bytes'))).toEqual([]);
  });

  it('leads to no repository outside its folder', () => {
    const inside = round({ git: new GitRepository(join(dir, 'repos', 'a.git')) }) as { git: GitRepository };
    expect(inside.git.dir).toBe(join(dir, 'repos', 'a.git'));
    expect(() => round({ git: new GitRepository('/etc') })).toThrow(/outside/);
    for (const place of ['../x', '/etc', 'a/../../x', ''])
      expect(() => decode(JSON.stringify([['Git', 1], place]), dir, new BlobFolder(dir))).toThrow(/outside/);
  });

  it('refuses what cannot be kept', () => {
    expect(() => round({ run: () => 1 })).toThrow();
    expect(() => round({ one: new AbortController() })).toThrow();
  });
});
