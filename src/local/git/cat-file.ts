import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { GIT_ENV } from './run-git.ts';

export interface GitObject {
  readonly oid: string;
  readonly type: 'commit' | 'tree' | 'blob' | 'tag';
  readonly content: Buffer;
}

type Waiting = { resolve: (object: GitObject | null) => void; reject: (cause: Error) => void };

/** One long-lived `git cat-file --batch`: objects at well under a millisecond each. Started at the first read. */
export class CatFile {
  readonly #gitDir: string;
  readonly #env: Readonly<Record<string, string>>;
  #child: ChildProcessWithoutNullStreams | null = null;
  #waiting: Waiting[] = [];
  #buffer: Buffer = Buffer.alloc(0);

  /** `env` for objects that lie elsewhere. */
  constructor(gitDir: string, env: Readonly<Record<string, string>> = {}) {
    this.#gitDir = gitDir;
    this.#env = { ...GIT_ENV, ...env };
  }

  /** The object that a revision names (oid, full ref, `<oid>:<path>`, `<oid>^{tree}`), or null. */
  read(revision: string): Promise<GitObject | null> {
    if (/[\n\0]/.test(revision)) return Promise.resolve(null);
    const child = this.#child ?? this.#start();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      child.stdin.write(`${revision}\n`);
    });
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    child.stdin.end();
    await ended;
  }

  #start(): ChildProcessWithoutNullStreams {
    const child = spawn('git', ['cat-file', '--batch'], { cwd: this.#gitDir, env: this.#env });
    this.#child = child;
    child.stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    child.stderr.resume();
    child.stdin.on('error', () => {
      // Reported by 'close', which rejects whatever waits.
    });
    child.on('error', (cause) => this.#fail(cause));
    child.on('close', () => this.#fail(new Error('git cat-file ended')));
    return child;
  }

  #fail(cause: Error): void {
    this.#child = null;
    this.#buffer = Buffer.alloc(0);
    for (const one of this.#waiting.splice(0)) one.reject(cause);
  }

  #take(chunk: Buffer): void {
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
    while (this.#waiting.length > 0 && this.#takeOne()) {
      // Each round consumes one complete answer.
    }
  }

  #takeOne(): boolean {
    const end = this.#buffer.indexOf(10);
    if (end < 0) return false;
    const header = this.#buffer.toString('utf8', 0, end);
    const match = /^([0-9a-f]{40}) (commit|tree|blob|tag) (\d+)$/.exec(header);
    if (!match) {
      this.#buffer = this.#buffer.subarray(end + 1);
      this.#waiting.shift()!.resolve(null);
      return true;
    }
    const size = Number(match[3]);
    if (this.#buffer.length < end + 1 + size + 1) return false;
    const content = Buffer.from(this.#buffer.subarray(end + 1, end + 1 + size));
    this.#buffer = this.#buffer.subarray(end + 1 + size + 1);
    this.#waiting.shift()!.resolve({ oid: match[1]!, type: match[2] as GitObject['type'], content });
    return true;
  }
}
