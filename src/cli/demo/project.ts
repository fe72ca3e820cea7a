import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { CcdError } from '../../domain/errors.ts';
import { scaffoldFiles } from '../scaffold-files.ts';

const person = { GIT_AUTHOR_NAME: 'Maintainer', GIT_AUTHOR_EMAIL: 'maintainer@example.com' };
const env = {
  ...person,
  GIT_COMMITTER_NAME: person.GIT_AUTHOR_NAME,
  GIT_COMMITTER_EMAIL: person.GIT_AUTHOR_EMAIL,
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

export interface CopiedRepository {
  /** HEAD of the user's repository. */
  readonly head: string;
  readonly dirty: boolean;
}

/**
 * Copies HEAD of a user's repository, which is only read, and puts the files that ccd needs on top as one more commit. A policy of
 * the repository's own is kept; where there is none, a workflow and a policy that run the test command are made.
 * Throws `demo.repository` when the folder is no repository with a commit.
 */
export async function copyRepository(
  source: string,
  target: string,
  testCommand: string | null,
): Promise<CopiedRepository> {
  const head = await git(source, 'rev-parse', '--verify', 'HEAD^{commit}').catch((cause: unknown) => {
    throw new CcdError({
      code: 'demo.repository',
      message: `${source} is no git repository with a commit.`,
      remedy: 'Name one with --repo.',
      audience: 'operator',
      cause,
    });
  });
  const dirty = (await git(source, 'status', '--porcelain')) !== '';
  await mkdir(dirname(target), { recursive: true });
  await git(dirname(target), 'clone', '--quiet', '--no-local', '--no-checkout', source, target);
  await git(target, 'checkout', '--quiet', '-B', 'main', head);
  const hasPolicy = (await git(target, 'ls-files', '.github/ccd.yml')) !== '';
  await addScaffold(target);
  if (!hasPolicy) await addGate(target, testCommand ?? 'npm test');
  await git(target, 'add', '--all', '.github');
  await git(target, 'commit', '--quiet', '--allow-empty', '--message', 'Files of ccd');
  return { head, dirty };
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

async function addGate(target: string, testCommand: string): Promise<void> {
  const policy = {
    version: 1,
    required_checks: [{ name: 'ccd-gate', workflow: '.github/workflows/ccd-gate.yml' }],
    task: { test_command: testCommand },
  };
  const workflow = {
    name: 'ccd-gate',
    on: { push: { branches: ['ccd/queue/**'] } },
    permissions: { contents: 'read' },
    jobs: {
      'ccd-gate': {
        'runs-on': 'ubuntu-latest',
        steps: [{ uses: 'actions/checkout@v4' }, { run: testCommand }],
      },
    },
  };
  await writeFile(join(target, '.github/ccd.yml'), `${JSON.stringify(policy, null, 2)}\n`);
  await writeFile(join(target, '.github/workflows/ccd-gate.yml'), `${JSON.stringify(workflow, null, 2)}\n`);
}
