import { stat } from 'node:fs/promises';
import { CcdError } from '../../domain/errors.ts';
import { type Oid, oidSchema } from '../../domain/ids.ts';
import type { GitConfig } from '../../git/git-environment.ts';
import { type GitEnd, gitText, tryGit } from '../../git/run-git.ts';

/** A user's repository, which is only read, and the commit that counts. */
export interface OwnRepository {
  /** Folder of its objects: the main one for a linked work tree. */
  readonly gitDir: string;
  readonly head: Oid;
  /** True when the work tree holds what HEAD does not. */
  readonly dirty: boolean;
}

/** It is the user's own folder that the user named: whose it is does not matter for reading it. */
const trusted: readonly GitConfig[] = [['safe.directory', '*']];

/**
 * Finds the repository that a folder belongs to: bare or with a work tree, on a branch or detached. Throws `demo.repository` when
 * there is none, when it has no commit, or when it is of a kind that cannot be copied whole.
 */
export async function findRepository(dir: string): Promise<OwnRepository> {
  const ask = (...args: string[]) => tryGit({ args: ['-C', dir, ...args], config: trusted });
  if (!(await stat(dir).catch(() => null))?.isDirectory()) throw refused(`There is no folder ${dir}.`);
  const common = answerOf(await ask('rev-parse', '--path-format=absolute', '--git-common-dir'));
  if (common === null) throw refused(`${dir} is no git repository.`);
  const head = answerOf(await ask('rev-parse', '--verify', '--quiet', 'HEAD^{commit}'));
  if (head === null)
    throw refused(`The repository ${dir} has no commit at HEAD yet.`, 'Commit something first.');
  if (!oidSchema.safeParse(head).success || head.length !== 40)
    throw refused(`The repository ${dir} names its objects by SHA-256.`, 'Only SHA-1 is known so far.');
  if (answerOf(await ask('rev-parse', '--is-shallow-repository')) === 'true')
    throw refused(`The repository ${dir} is a shallow clone.`, 'Run `git fetch --unshallow` in it first.');
  const hasTree = answerOf(await ask('rev-parse', '--is-inside-work-tree')) === 'true';
  const status = hasTree ? answerOf(await ask('status', '--porcelain', '--ignore-submodules=dirty')) : '';
  return { gitDir: common, head: oidSchema.parse(head), dirty: status !== '' };
}

/**
 * Brings HEAD with its history, and the tags in it, into a new bare repository whose branch `main` it becomes. Other branches stay
 * behind. Throws `git.failed` when an object is missing.
 */
export async function fetchHead(own: OwnRepository, target: string): Promise<void> {
  await gitText({ args: ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', target] });
  // Configuration does not reach the sending side by the environment.
  const sender = 'git -c safe.directory=* -c uploadpack.allowAnySHA1InWant=true upload-pack';
  const spec = `+${own.head}:refs/heads/main`;
  await gitText({
    gitDir: target,
    args: ['fetch', '--quiet', `--upload-pack=${sender}`, own.gitDir, spec],
    timeoutMs: 600_000,
  });
}

function answerOf(end: GitEnd): string | null {
  return end.kind === 'exited' && end.code === 0 ? end.stdout.toString('utf8').trim() : null;
}

function refused(message: string, remedy = 'Name another one with --repo.'): CcdError {
  return new CcdError({ code: 'demo.repository', message, remedy, audience: 'operator' });
}
