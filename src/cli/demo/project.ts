import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { scaffoldFiles } from '../scaffold-files.ts';
import { person } from './person.ts';

const env = {
  ...person,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

async function git(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await execa('git', ['-c', 'core.hooksPath=/dev/null', ...args], { cwd, env });
  return stdout;
}

/** Makes a git repository of a folder of plain files, with the files that ccd needs on trunk. */
export async function makeProject(folder: string, target: string): Promise<void> {
  await cp(folder, target, { recursive: true });
  await git(target, 'init', '--quiet', '--initial-branch=main');
  await addScaffold(target);
  await git(target, 'add', '--all');
  await git(target, 'commit', '--quiet', '--message', 'Start');
}

async function addScaffold(target: string): Promise<void> {
  for (const [path, text] of scaffoldFiles()) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await writeFile(join(target, path), text, { flag: path.includes('workflows') ? 'w' : 'wx' }).catch(
      keepStanding,
    );
  }
}

function keepStanding(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
