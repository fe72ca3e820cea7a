import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import type { TaskState } from '../../domain/state.ts';
import { gitText } from '../../git/run-git.ts';
import { parseBuildMessage } from '../../text/build-message.ts';

export interface TrunkCheck {
  readonly before: string;
  readonly after: string;
  readonly commits: readonly string[];
  /** Everything that is not as it must be; empty when trunk is right. */
  readonly problems: readonly string[];
}

/**
 * Proves with plain git, and nothing of ours, that trunk holds exactly the landed builds: its first-parent commits since the
 * start, each with a member's candidate as second parent and the tree of that very merge.
 */
export async function checkTrunk(
  gitDir: string,
  before: string,
  tasks: readonly TaskState[],
): Promise<TrunkCheck> {
  const text = (...args: string[]) => gitText({ gitDir, args });
  const after = (await text('rev-parse', 'refs/heads/main')).trim();
  const commits = (await text('rev-list', '--first-parent', '--reverse', `${before}..${after}`))
    .split('\n')
    .filter(Boolean);
  const problems: string[] = [];
  const landed = tasks.filter((task) => task.landed !== null);
  const expected = new Set(landed.map((task) => task.landed!.commit));
  for (const commit of commits) {
    if (!expected.has(commit)) problems.push(`${commit} is on trunk and no task landed it`);
    const [, , ...parents] = (await text('rev-list', '--parents', '--max-count=1', commit)).trim().split(' ');
    const task = landed.find((one) => one.landed?.commit === commit);
    if (parents[0] !== task?.candidate?.oid)
      problems.push(`${commit} does not merge the candidate of its task`);
    if (parseBuildMessage(await text('log', '-1', '--format=%B', commit).then(withOneNewline)) === null) {
      problems.push(`${commit} carries no landing trailers`);
    }
    problems.push(...(await treeProblems(text, commit)));
  }
  for (const commit of expected) {
    if (!commits.includes(commit)) problems.push(`${commit} was said to have landed and is not on trunk`);
  }
  return { before, after, commits, problems };
}

/** The commit at the head of trunk. */
export async function trunkOf(gitDir: string): Promise<string> {
  return (await gitText({ gitDir, args: ['rev-parse', '--verify', 'refs/heads/main^{commit}'] })).trim();
}

/** `git log` ends a message with one blank line more. */
function withOneNewline(message: string): string {
  return `${message.trimEnd()}\n`;
}

async function treeProblems(text: (...args: string[]) => Promise<string>, commit: string): Promise<string[]> {
  const tree = (await text('rev-parse', `${commit}^{tree}`)).trim();
  const again = (await text('merge-tree', '--write-tree', `${commit}^1`, `${commit}^2`)).trim();
  return tree === again ? [] : [`the tree of ${commit} is not the merge of its parents`];
}

/** Runs the project's own suite at trunk's head, in a fresh checkout. */
export async function suitePasses(gitDir: string, dir: string, command: string): Promise<boolean> {
  const checkout = join(dir, 'verified');
  await mkdir(checkout, { recursive: true });
  await execa(
    'git',
    ['--git-dir', gitDir, '--work-tree', checkout, 'checkout', '--force', 'main', '--', '.'],
    {
      env: {
        GIT_INDEX_FILE: join(dir, 'verified.index'),
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
      },
    },
  );
  const run = await execa('sh', ['-c', command], {
    cwd: checkout,
    reject: false,
    stdout: 'ignore',
    stderr: 'ignore',
  });
  return run.exitCode === 0;
}
