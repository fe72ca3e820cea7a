import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Shell, Target } from './target.ts';

/** A clone for one target: the parts of a target that real git does. */
export interface Clone extends Pick<Target, 'git' | 'push'> {
  close(): Promise<void>;
}

/** Clones a repository into a folder of its own, with nothing of the machine's git configuration. */
export async function openClone(url: string): Promise<Clone> {
  const home = await mkdtemp(join(tmpdir(), 'ccd-behaviour-'));
  const tree = join(home, 'w');
  const sh = shellIn(home);
  const cloned = await sh(`git clone -q "${url}" w`, home);
  if (cloned.code !== 0) throw new Error(cloned.out);
  const git = (script: string) => sh(script, tree);
  return {
    git,
    push: async (branch, files, { from = 'origin/main', message = `Change ${branch}` } = {}) => {
      const ready = await git(`git fetch -q origin && git checkout -q -f --detach ${from}`);
      if (ready.code !== 0) throw new Error(ready.out);
      for (const [path, content] of Object.entries(files)) await put(join(tree, path), content);
      const done = await sh(
        `git add -A && git commit -q --allow-empty -m "$MESSAGE" && git push -q -f origin HEAD:refs/heads/${branch} && git rev-parse HEAD`,
        tree,
        { MESSAGE: message },
      );
      if (done.code !== 0) throw new Error(done.out);
      return done.out.trim().split('\n').at(-1)!;
    },
    close: () => rm(home, { recursive: true, force: true }),
  };
}

async function put(path: string, content: string | Buffer | null): Promise<void> {
  if (content === null) return rm(path, { recursive: true, force: true });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

type Run = (script: string, cwd: string, more?: Record<string, string>) => Promise<Shell>;

function shellIn(home: string): Run {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Ann',
    GIT_AUTHOR_EMAIL: 'ann@example.com',
    GIT_COMMITTER_NAME: 'Ann',
    GIT_COMMITTER_EMAIL: 'ann@example.com',
  };
  return (script, cwd, more = {}) =>
    new Promise((resolve) => {
      const options = { cwd, env: { ...env, ...more }, timeout: 50_000, maxBuffer: 16 * 1024 * 1024 };
      execFile('bash', ['-c', script], options, (error, out, err) => {
        resolve({ code: error ? Number(error.code ?? 1) : 0, out: `${out}${err}` });
      });
    });
}
