import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { CcdError } from '../domain/errors.ts';
import { type GitConfig, gitEnvironment } from './git-environment.ts';

/** Limits that the kernel enforces on a child that reads hostile input. */
export interface ChildLimits {
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  /** Largest file that the child may write. */
  readonly fileBytes: number;
}

export interface GitCall {
  readonly args: readonly string[];
  /** The repository; left out for calls that need none. */
  readonly gitDir?: string;
  readonly input?: Uint8Array | string;
  /** Wall clock in milliseconds, 120 000 unless given. */
  readonly timeoutMs?: number;
  /** Most bytes of standard output that are kept, 256 MiB unless given; more ends the child. */
  readonly maxOutputBytes?: number;
  readonly config?: readonly GitConfig[];
  /** Texts that are blotted out of standard error. */
  readonly secrets?: readonly string[];
  readonly limits?: ChildLimits;
  readonly environment?: Readonly<Record<string, string>>;
}

/** How a git child ended: by itself, or stopped by us or by a signal. */
export type GitEnd =
  | { readonly kind: 'exited'; readonly code: number; readonly stdout: Buffer; readonly stderr: string }
  | {
      readonly kind: 'stopped';
      readonly because: 'timeout' | 'output' | 'signal';
      readonly stdout: Buffer;
      readonly stderr: string;
    };

const maxErrorBytes = 64 * 1024;

/**
 * Runs git once in the pinned environment and tells how it ended; a non-zero exit is a value. Throws `git.missing` when
 * there is no git.
 */
export async function tryGit(call: GitCall): Promise<GitEnd> {
  const child = spawnGit(call);
  return await new Promise<GitEnd>((resolve, reject) => {
    const out: Buffer[] = [];
    let outBytes = 0;
    let error = '';
    let because: 'timeout' | 'output' | 'signal' = 'signal';
    const stop = (reason: 'timeout' | 'output') => {
      because = reason;
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), 2000).unref();
    };
    const timer = setTimeout(() => stop('timeout'), call.timeoutMs ?? 120_000);
    child.stdout.on('data', (chunk: Buffer) => {
      outBytes += chunk.length;
      if (outBytes <= (call.maxOutputBytes ?? 256 * 1024 * 1024)) out.push(chunk);
      else stop('output');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (error.length < maxErrorBytes) error += chunk.toString('utf8');
    });
    child.on('error', (cause) => {
      clearTimeout(timer);
      reject(noGit(cause));
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      const stdout = Buffer.concat(out);
      const stderr = redact(error, call.secrets ?? []);
      resolve(
        code === null || because !== 'signal'
          ? { kind: 'stopped', because, stdout, stderr }
          : { kind: 'exited', code, stdout, stderr },
      );
    });
    // A child that ends before it has read its input closes the pipe; its exit says why.
    child.stdin.on('error', () => undefined);
    child.stdin.end(call.input ?? '');
  });
}

/** Standard output of a git call that must succeed. Throws `git.failed` or `git.timeout` with the redacted standard error. */
export async function git(call: GitCall): Promise<Buffer> {
  const end = await tryGit(call);
  if (end.kind === 'exited' && end.code === 0) return end.stdout;
  throw gitFault(call, end);
}

/** The same as text without the last line end. */
export async function gitText(call: GitCall): Promise<string> {
  return (await git(call)).toString('utf8').replace(/\n$/, '');
}

/** The fault that a git call's end stands for. */
export function gitFault(call: GitCall, end: GitEnd): CcdError {
  const command = `git ${call.args[0] ?? ''}`.trim();
  const how = end.kind === 'exited' ? `exit ${end.code}` : `stopped: ${end.because}`;
  return new CcdError({
    code: end.kind === 'stopped' && end.because === 'timeout' ? 'git.timeout' : 'git.failed',
    message: `${command} failed (${how}): ${end.stderr.trim().slice(-2000) || 'no message'}`,
    remedy: 'The next pass reads afresh and tries again; if it persists, look at the message above.',
    audience: 'operator',
  });
}

/** Starts git for a conversation over its pipes. The caller ends it. */
export function spawnGit(call: GitCall): ChildProcessWithoutNullStreams {
  const environment = {
    ...gitEnvironment(process.env, call.config ?? []),
    ...(call.gitDir === undefined ? {} : { GIT_DIR: call.gitDir }),
    ...call.environment,
  };
  const options = { env: environment, cwd: '/', stdio: 'pipe' } as const;
  if (call.limits === undefined) return spawn('git', call.args, options);
  return spawn(
    '/bin/sh',
    ['-c', limitScript, 'sh', ...limitWords(call.limits), 'git', ...call.args],
    options,
  );
}

/** POSIX `ulimit -f` counts blocks of 512 bytes, `-v` kibibytes. A limit that the system lacks must not start the child. */
const limitScript = 'ulimit -t "$1" && ulimit -v "$2" && ulimit -f "$3" && shift 3 && exec "$@"';

function limitWords(limits: ChildLimits): string[] {
  return [
    String(Math.ceil(limits.cpuSeconds)),
    String(Math.ceil(limits.memoryBytes / 1024)),
    String(Math.ceil(limits.fileBytes / 512)),
  ];
}

/** Blots the secrets out of a text, and whatever looks like an authorization header or a password in an address. */
export function redact(text: string, secrets: readonly string[]): string {
  const plain = secrets.reduce(
    (rest, secret) => (secret === '' ? rest : rest.split(secret).join('***')),
    text,
  );
  return plain
    .replace(/(authorization:\s*)[^\r\n]+/gi, '$1***')
    .replace(/(https?:\/\/)[^/@\s'"]+@/gi, '$1***@');
}

function noGit(cause: unknown): CcdError {
  return new CcdError({
    code: 'git.missing',
    message: 'git could not be started.',
    remedy: 'Install git 2.38 or later and put it on the PATH.',
    audience: 'operator',
    cause,
  });
}
