import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Oid } from '../../domain/ids.ts';
import { type ObjectReader, openObjects } from '../../git/objects.ts';
import { gitFault, tryGit } from '../../git/run-git.ts';

/** Tells which paths of a level are untracked junk; folders end in `/`. */
export type IgnoredPaths = (paths: readonly string[]) => Promise<ReadonlySet<string>>;

/** Larger ignore files than this are no ignore files. */
const maxIgnoreBytes = 1024 * 1024;

/**
 * Junk as the tree's own `.gitignore` files define it, whatever the agent does to them: they are laid alone into `folder`
 * and git matches there. `gitDir` must be out of the agent's reach.
 */
export async function ignoredPaths(gitDir: string, tree: Oid, folder: string): Promise<IgnoredPaths> {
  await mkdir(folder, { recursive: true });
  const objects = openObjects(gitDir);
  try {
    await layIgnoreFiles(objects, tree, folder);
  } finally {
    await objects.close();
  }
  return async (paths) => {
    if (paths.length === 0) return new Set();
    const args = [
      '-C',
      folder,
      `--work-tree=${folder}`,
      'check-ignore',
      '--no-index',
      '-z',
      '-v',
      '-n',
      '--stdin',
    ];
    // This command refuses the literal mode; a leading `./` keeps a name such as `:(top)x` from being a pattern.
    const environment = { GIT_INDEX_FILE: join(folder, '.no-index'), GIT_LITERAL_PATHSPECS: '0' };
    const input = paths.map((path) => `./${path}\0`).join('');
    return matched(await checkIgnore(gitDir, args, environment, input));
  };
}

async function layIgnoreFiles(objects: ObjectReader, tree: Oid, folder: string): Promise<void> {
  for (const { path, kind, oid } of await objects.readTree(tree)) {
    if (kind !== 'blob' || (path !== '.gitignore' && !path.endsWith('/.gitignore'))) continue;
    const info = await objects.info(oid);
    if (info === null || info.size > maxIgnoreBytes) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), await objects.readBlob(oid, maxIgnoreBytes));
  }
}

async function checkIgnore(
  gitDir: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  input: string,
): Promise<Buffer> {
  // `-n` lists every path, so exit 1 ("none ignored") only comes with a full answer.
  const call = { args, gitDir, environment, input };
  const end = await tryGit(call);
  if (end.kind === 'exited' && end.code <= 1) return end.stdout;
  throw gitFault(call, end);
}

/** Records of four fields: source, line, pattern, path. A pattern that begins with `!` takes a path back in. */
function matched(answer: Buffer): Set<string> {
  const fields = answer.toString('utf8').split('\0');
  const ignored = new Set<string>();
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const pattern = fields[at + 2] ?? '';
    const path = fields[at + 3] ?? '';
    if (pattern !== '' && !pattern.startsWith('!')) ignored.add(path.slice('./'.length));
  }
  return ignored;
}
