import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { Oid } from '../../../src/domain/ids.ts';
import { type Clone, openClone } from '../../../src/git/bare-clone.ts';
import { git, gitText } from '../../../src/git/run-git.ts';
import { commitTree, type TreeFile, writeBlob, writeTree } from '../../../src/git/write-objects.ts';

const endings: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ccd-git-'));
  endings.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** An empty bare repository that stands for the one on GitHub. */
export async function makeRemote(): Promise<string> {
  const dir = join(await makeFolder(), 'remote.git');
  await git({ args: ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', dir] });
  return dir;
}

export async function makeClone(remoteUrl: string, token = ''): Promise<Clone> {
  const clone = await openClone({
    dir: join(await makeFolder(), 'clone.git'),
    remoteUrl,
    token: async () => token,
  });
  endings.push(() => clone.close());
  return clone;
}

export type Files = Readonly<Record<string, string>>;

/** Commits these files into the repository in `gitDir` and moves the ref there, without any lease. */
export async function commitFiles(
  gitDir: string,
  files: Files,
  options: { parents?: readonly Oid[]; ref?: string; message?: string; date?: number } = {},
): Promise<Oid> {
  const entries: TreeFile[] = [];
  for (const [path, content] of Object.entries(files)) {
    entries.push({ mode: '100644', oid: await writeBlob(gitDir, content), path });
  }
  const commit = await commitTree(gitDir, {
    tree: await writeTree(gitDir, entries),
    parents: options.parents ?? [],
    message: options.message ?? 'work',
    date: options.date ?? 1_700_000_000,
    person: { name: 'someone', email: 'someone@example.org' },
  });
  if (options.ref !== undefined) await git({ args: ['update-ref', options.ref, commit], gitDir });
  return commit;
}

/** Refs of a repository by plain git. */
export async function refsOf(gitDir: string): Promise<Record<string, Oid>> {
  const text = await gitText({ args: ['for-each-ref', '--format=%(refname) %(objectname)'], gitDir });
  return Object.fromEntries(
    text === '' ? [] : text.split('\n').map((line) => line.split(' ') as [string, string]),
  );
}

export function atEnd(end: () => Promise<void>): void {
  endings.push(end);
}
