import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Oid, oidSchema } from '../../domain/ids.ts';
import { git, gitText } from '../../git/run-git.ts';
import { usage } from '../usage.ts';
import { person } from './person.ts';

/** What landed on the copy's trunk, and where it belongs in the user's repository. */
export interface Landed {
  readonly gitDir: string;
  /** HEAD of the user's repository. */
  readonly head: Oid;
  /** Trunk of the copy before and after. They differ from HEAD by the files of ccd. */
  readonly before: string;
  readonly after: string;
  readonly title: string;
}

export const landedRef = 'refs/heads/ccd-landed';

/** Refuses a folder for results that cannot be one, before any work is done for it. */
export async function checkOut(out: string): Promise<void> {
  const found = await stat(out).catch(() => null);
  if (found !== null && !found.isDirectory())
    throw usage(`${out} is no folder.`, 'Name a folder for the results with --out.');
  await mkdir(out, { recursive: true });
  // A place that cannot be written is found now, not after the work.
  await rm(await mkdtemp(join(out, '.ccd-')), { recursive: true });
}

/**
 * Leaves a bundle and a patch of what landed, both on the user's own HEAD: one commit with exactly the change that trunk took, without
 * the files of ccd. Both files appear whole or not at all.
 */
export async function writeResult(landed: Landed, out: string): Promise<{ commit: Oid; files: string[] }> {
  const { gitDir, head } = landed;
  const commit = await onHead(landed);
  await mkdir(out, { recursive: true });
  const stage = await mkdtemp(join(out, '.ccd-'));
  try {
    const args = ['diff', '--binary', '--full-index', '--no-ext-diff', '--no-textconv', head, commit];
    await writeFile(join(stage, 'landed.patch'), await git({ gitDir, args }));
    await git({
      gitDir,
      args: ['bundle', 'create', '--quiet', join(stage, 'landed.bundle'), landedRef, `^${head}`],
    });
    const names = ['landed.bundle', 'landed.patch'];
    for (const name of names) await rename(join(stage, name), join(out, name));
    return { commit, files: names.map((name) => join(out, name)) };
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** The landed change as one commit on HEAD. Paths are taken over by object id: no merge, no patch, nothing is guessed. */
async function onHead({ gitDir, head, before, after, title }: Landed): Promise<Oid> {
  const environment = { GIT_INDEX_FILE: join(gitDir, 'result.index'), ...person };
  const text = (args: string[], input?: string) =>
    gitText({ gitDir, args, environment, ...(input === undefined ? {} : { input }) });
  const raw = (
    await git({ gitDir, args: ['diff-tree', '-r', '-z', '--no-renames', before, after] })
  ).toString('latin1');
  await text(['read-tree', head]);
  await git({
    gitDir,
    environment,
    args: ['update-index', '-z', '--index-info'],
    input: Buffer.from(indexInfo(raw), 'latin1'),
  });
  const tree = await text(['write-tree']);
  const message = `${title}\n\nLanded in a demonstration of ccd, where ${after} was tested.\n`;
  const commit = await text(['commit-tree', tree, '-p', head], message);
  await text(['update-ref', landedRef, commit]);
  return oidSchema.parse(commit);
}

/** `:old-mode new-mode old-oid new-oid letter NUL path NUL` to `mode oid TAB path NUL`; mode 0 removes. Names are bytes. */
function indexInfo(raw: string): string {
  const parts = raw.split('\0');
  let info = '';
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, mode, , oid] = parts[at]!.slice(1).split(' ');
    info += `${/^0+$/.test(mode!) ? '0' : mode} ${oid}\t${parts[at + 1]}\0`;
  }
  return info;
}
