import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkGit, readGitVersion } from '../../../src/git/check-git.ts';
import { gitEnvironment, tokenConfig } from '../../../src/git/git-environment.ts';
import { git, gitText, redact, tryGit } from '../../../src/git/run-git.ts';
import { makeFolder, makeRemote } from './repositories.ts';

describe('running git', () => {
  it('sees no configuration of user or system and no inherited variable', async () => {
    const home = await makeFolder();
    await writeFile(join(home, '.gitconfig'), '[user]\n\tname = intruder\n');
    const own = {
      PATH: process.env.PATH,
      HOME: home,
      GIT_DIR: '/elsewhere',
      GIT_SSH_COMMAND: 'evil',
      AWS_SECRET: 'x',
    };
    const environment = gitEnvironment(own, []);
    expect(environment).toMatchObject({ HOME: '/dev/null', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' });
    expect(Object.keys(environment)).not.toContain('GIT_DIR');
    expect(Object.keys(environment)).not.toContain('GIT_SSH_COMMAND');
    expect(Object.keys(environment)).not.toContain('AWS_SECRET');
    const origins = await gitText({ args: ['config', '--list', '--show-scope'] });
    expect(origins.split('\n').every((line) => line.startsWith('command\t'))).toBe(true);
  });

  it('runs no hook of the repository', async () => {
    const remote = await makeRemote();
    const witness = join(await makeFolder(), 'ran');
    await mkdir(join(remote, 'hooks'), { recursive: true });
    const hook = join(remote, 'hooks/reference-transaction');
    await writeFile(hook, `#!/bin/sh\ntouch ${witness}\n`);
    await chmod(hook, 0o755);
    const tree = await gitText({ args: ['hash-object', '-t', 'tree', '-w', '--stdin'], gitDir: remote });
    const who = {
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a',
    };
    const commit = await gitText({
      args: ['commit-tree', tree, '-m', 'x'],
      gitDir: remote,
      environment: who,
    });
    await git({ args: ['update-ref', 'refs/heads/x', commit], gitDir: remote });
    await expect(git({ args: ['--version'] })).resolves.toBeInstanceOf(Buffer);
    const { existsSync } = await import('node:fs');
    expect(existsSync(witness)).toBe(false);
  });

  it('opens no transport but http, https and local files', async () => {
    const end = await tryGit({ args: ['ls-remote', 'ext::sh -c "echo hi >&2"'] });
    expect(end).toMatchObject({
      kind: 'exited',
      stderr: expect.stringContaining("transport 'ext' not allowed"),
    });
    const ssh = await tryGit({ args: ['ls-remote', 'ssh://127.0.0.1:9/x'] });
    expect(ssh).toMatchObject({ stderr: expect.stringContaining("transport 'ssh' not allowed") });
  });

  it('stops a child that says too much or takes too long', async () => {
    const loud = await tryGit({ args: ['help', '-a'], maxOutputBytes: 10 });
    expect(loud).toMatchObject({ kind: 'stopped', because: 'output' });
    const remote = await makeRemote();
    const endless = await tryGit({
      args: ['-c', 'alias.wait=!while :; do :; done', 'wait'],
      gitDir: remote,
      timeoutMs: 200,
    });
    expect(endless).toMatchObject({ kind: 'stopped', because: 'timeout' });
  });

  it('reports a failure as one error for the operator', async () => {
    await expect(
      git({ args: ['cat-file', '-p', 'nothing'], gitDir: await makeRemote() }),
    ).rejects.toMatchObject({
      code: 'git.failed',
      audience: 'operator',
      message: expect.stringContaining('git cat-file failed (exit 128)'),
    });
  });
});

describe('the version of git', () => {
  it('is accepted from 2.38 on', async () => {
    expect(await checkGit()).toMatch(/^\d+\.\d+/);
    expect(readGitVersion('git version 2.38.0')).toBe('2.38.0');
    expect(readGitVersion('git version 3.0.1.windows.1')).toBe('3.0.1');
  });

  it.each(['git version 2.37.9', 'git version 1.99', 'zsh: nothing', ''])('is refused as %j', (text) => {
    expect(() => readGitVersion(text)).toThrowError(
      expect.objectContaining({ code: 'git.too-old', audience: 'operator' }),
    );
  });
});

describe('secrets', () => {
  it('go to the remote’s own server only, and never into what is printed', () => {
    const { config, secrets } = tokenConfig('https://github.example/o/r.git', 'tok');
    expect(config).toEqual([['http.https://github.example/.extraHeader', expect.stringContaining('Basic ')]]);
    expect(redact(`a tok b ${secrets[1]} https://x:y@host/z Authorization: Bearer q`, secrets)).toBe(
      'a *** b *** https://***@host/z Authorization: ***',
    );
    expect(tokenConfig('/some/folder', 'tok').config).toEqual([]);
  });
});
