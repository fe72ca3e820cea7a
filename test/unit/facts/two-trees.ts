import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Oid } from '../../../src/domain/ids.ts';
import { git } from '../../../src/git/run-git.ts';
import { commitTree, writeBlob, writeTree } from '../../../src/git/write-objects.ts';

/** A file of a tree: its text, or text or bytes with a mode. */
export type TreeContent = string | { readonly content: string | Uint8Array; readonly mode: string };
export type Files = Readonly<Record<string, TreeContent>>;

export interface TwoTrees {
  readonly gitDir: string;
  readonly base: Oid;
  readonly head: Oid;
  readonly changed: readonly string[];
  remove(): Promise<void>;
}

/** A bare repository with two commits, head on top of base. */
export async function twoTrees(base: Files, head: Files): Promise<TwoTrees> {
  const gitDir = await mkdtemp(join(tmpdir(), 'ccd-two-'));
  await git({ args: ['init', '--quiet', '--bare', gitDir] });
  const baseOid = await commitFiles(gitDir, base, []);
  const headOid = await commitFiles(gitDir, head, [baseOid]);
  await git({ args: ['update-ref', 'refs/heads/main', headOid], gitDir });
  const paths = [...new Set([...Object.keys(base), ...Object.keys(head)])];
  const changed = paths.filter((path) => JSON.stringify(base[path]) !== JSON.stringify(head[path]));
  return {
    gitDir,
    base: baseOid,
    head: headOid,
    changed,
    remove: () => rm(gitDir, { recursive: true, force: true }),
  };
}

async function commitFiles(gitDir: string, files: Files, parents: readonly Oid[]): Promise<Oid> {
  const entries = [];
  for (const [path, file] of Object.entries(files)) {
    const { content, mode } = typeof file === 'string' ? { content: file, mode: '100644' } : file;
    entries.push({ path, mode, oid: await writeBlob(gitDir, content) });
  }
  const tree = await writeTree(gitDir, entries);
  const person = { name: 'Test', email: 'test@example.org' };
  return await commitTree(gitDir, {
    tree,
    parents,
    message: 'a commit\n',
    person,
    date: 1_700_000_000,
  });
}
