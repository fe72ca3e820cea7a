import { join } from 'node:path';
import type { Oid } from '../../domain/ids.ts';
import { git } from '../../git/run-git.ts';

/**
 * Gives the agent a repository of its own in its work folder, with base as its one commit: it may commit, branch and look
 * at differences there. Made before the agent starts; afterwards the parent neither runs git on it nor reads it.
 */
export async function makeAgentRepository(
  workFolder: string,
  privateGitDir: string,
  base: Oid,
): Promise<void> {
  const gitDir = join(workFolder, '.git');
  await git({ args: ['init', '--quiet', '--template=', '--initial-branch=task', workFolder] });
  await git({
    gitDir,
    args: [
      'fetch',
      '--quiet',
      '--depth=1',
      '--no-tags',
      '--no-write-fetch-head',
      `file://${privateGitDir}`,
      base,
    ],
  });
  await git({ gitDir, args: ['update-ref', 'refs/heads/task', base] });
  await git({ gitDir, args: ['-C', workFolder, `--work-tree=${workFolder}`, 'reset', '--quiet', '--mixed'] });
}
