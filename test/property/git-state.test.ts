import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Clone, openClone } from '../../src/git/bare-clone.ts';
import { git } from '../../src/git/run-git.ts';
import { readStateFolder, writeState } from '../../src/git/state-branch.ts';

let folder: string;
let clones: [Clone, Clone];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccd-property-'));
  const remoteUrl = join(folder, 'remote.git');
  await git({ args: ['init', '--quiet', '--bare', '--template=', remoteUrl] });
  const open = async (name: string) =>
    await openClone({ dir: join(folder, name), remoteUrl, token: async () => '' });
  clones = [await open('one.git'), await open('two.git')];
});

afterAll(async () => {
  for (const clone of clones) await clone.close();
  await rm(folder, { recursive: true, force: true });
});

const word = fc.constantFrom('a', 'b', 'tasks', '0', '12');
// Files end in .json and folders never do, so that no file stands where a folder has to be.
const path = fc
  .array(word, { minLength: 0, maxLength: 3 })
  .chain((parts) => word.map((last) => [...parts, `${last}.json`].join('/')));
const json = fc
  .jsonValue({ maxDepth: 3 })
  .filter((value) => value !== null)
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const step = fc.uniqueArray(fc.tuple(path, fc.option(json, { nil: null, freq: 4 })), {
  selector: ([name]) => name,
  maxLength: 6,
});

describe('the state branch', () => {
  it('reads back what a chain of writes left, and the same writes give the same commits', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        const model = new Map<string, unknown>();
        const heads: [string | null, string | null] = [null, null];
        for (const [index, changes] of steps.entries()) {
          for (const [name, value] of changes) {
            if (value === null) model.delete(name);
            else model.set(name, value);
          }
          const common = { message: `pass ${index}`, date: 1_700_000_000 + index };
          heads[0] = await writeState(clones[0], { parent: heads[0], files: new Map(changes), ...common });
          heads[1] = await writeState(clones[1], {
            parent: heads[1],
            files: new Map([...changes].reverse()),
            ...common,
          });
        }
        expect(heads[0]).toBe(heads[1]);
        const read = await readStateFolder(clones[0].objects, heads[0], '', z.unknown());
        if (read.kind !== 'read') throw new Error(read.kind);
        expect(Object.fromEntries(read.values)).toEqual(Object.fromEntries(model));
      }),
      { numRuns: 40 },
    );
  }, 120_000);
});
