import { spawn } from 'node:child_process';

export interface GitRun {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Environment of every git child: nothing of the user's configuration, no prompts. */
export const GIT_ENV: Readonly<Record<string, string>> = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
};

/** Runs git once and collects its output. Never rejects for an exit code; rejects when git cannot be started. */
export function runGit(
  args: readonly string[],
  options: { cwd: string; input?: Buffer | string; env?: Readonly<Record<string, string>> },
): Promise<GitRun> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, { cwd: options.cwd, env: { ...GIT_ENV, ...options.env } });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ code: code ?? 128, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString('utf8') });
    });
    child.stdin.on('error', () => {
      // git may exit before it has read everything; its exit code tells.
    });
    child.stdin.end(options.input);
  });
}
