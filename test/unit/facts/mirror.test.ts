import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Mirror, mirrorOf } from '../../../src/facts/mirror.ts';
import { removeTree } from '../../../src/host/remove-tree.ts';

let root: string;
let mirror: Mirror;
const at = (...parts: string[]) => join(root, 'copy', ...parts);

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ccd-mirror-'));
  await mkdir(join(root, 'original/pkg/lib'), { recursive: true });
  await writeFile(join(root, 'original/pkg/index.js'), 'one');
  await writeFile(join(root, 'original/pkg/lib/a.js'), 'two');
  await symlink('pkg/index.js', join(root, 'original/link'));
  mirror = mirrorOf(join(root, 'original'), join(root, 'copy'));
  await mirror.restore();
});
afterEach(() => removeTree(root));

async function expectRestored(): Promise<void> {
  await mirror.restore();
  expect((await readdir(at(), { recursive: true })).sort()).toEqual([
    'link',
    'pkg',
    'pkg/index.js',
    'pkg/lib',
    'pkg/lib/a.js',
  ]);
  expect(await readFile(at('pkg/index.js'), 'utf8')).toBe('one');
  expect(await readFile(at('pkg/lib/a.js'), 'utf8')).toBe('two');
  expect(await readFile(at('link'), 'utf8')).toBe('one');
}

test('a first restore copies, a second one changes nothing', expectRestored);

test('a file changed to the same size and with its times set back', async () => {
  await writeFile(at('pkg/index.js'), 'ONE');
  await utimes(at('pkg/index.js'), 0, 0);
  await expectRestored();
});

test('files added, removed and made executable', async () => {
  await writeFile(at('pkg/lib/new.js'), 'x');
  await rm(at('pkg/lib/a.js'));
  await chmod(at('pkg/index.js'), 0o755);
  await expectRestored();
});

test('a folder replaced by another, and one replaced by a link out of the tree', async () => {
  await rename(at('pkg/lib'), at('pkg/old'));
  await mkdir(at('pkg/lib'));
  await writeFile(at('pkg/lib/a.js'), 'bad');
  await expectRestored();
  await mkdir(join(root, 'elsewhere'));
  await writeFile(join(root, 'elsewhere/a.js'), 'kept');
  await rm(at('pkg/lib'), { recursive: true });
  await symlink(join(root, 'elsewhere'), at('pkg/lib'));
  await expectRestored();
  expect(await readFile(join(root, 'elsewhere/a.js'), 'utf8')).toBe('kept');
});

test('everything gone', async () => {
  await rm(at(), { recursive: true });
  await expectRestored();
});
