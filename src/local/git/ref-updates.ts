import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { Lock } from './lock.ts';
import { ZERO_OID } from './oid.ts';
import type { PlainMoves } from './plain-moves.ts';
import { GIT_ENV } from './run-git.ts';

/** A move of one ref; 40 zeros stand for "is not there". */
export interface RefMove {
  readonly ref: string;
  readonly before: string;
  readonly after: string;
}

/** What a transaction writes, and what git says when it is through. */
const COMMITTED = 'commit: ok\n';

/**
 * Moves of refs: plain ones by our own hand, all others by one long-lived `git update-ref --stdin`, a transaction in about a
 * millisecond by git's own rules and locks.
 */
export class RefUpdates {
  readonly #gitDir: string;
  readonly #plain: PlainMoves;
  readonly #lock = new Lock();
  #child: ChildProcessWithoutNullStreams | null = null;

  constructor(gitDir: string, plain: PlainMoves) {
    this.#gitDir = gitDir;
    this.#plain = plain;
  }

  /** Moves all or none. Answers git's words for none, or null. */
  run(moves: readonly RefMove[]): Promise<string | null> {
    const lines = moves.flatMap(({ ref, before, after }) => {
      if (after !== ZERO_OID) return [`update ${ref} ${after} ${before}`];
      return before === ZERO_OID ? [] : [`delete ${ref} ${before}`];
    });
    if (lines.length === 0) return Promise.resolve(null);
    return this.#lock.run(async () => {
      if (await this.#plain.make(moves)) return null;
      return this.#transact(['start', ...lines, 'prepare', 'commit', ''].join('\n'));
    });
  }

  async close(): Promise<void> {
    await this.#lock.run(async () => {
      const child = this.#child;
      this.#child = null;
      if (!child) return;
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.stdin.end();
      await ended;
    });
  }

  /** git ends at the first refusal: the next transaction starts another one. */
  #transact(input: string): Promise<string | null> {
    const child = this.#child ?? this.#start();
    return new Promise((resolve, reject) => {
      let out = '';
      let err = '';
      const onOut = (chunk: Buffer) => {
        out += chunk.toString('utf8');
        if (out.endsWith(COMMITTED)) end(() => resolve(null));
      };
      const onErr = (chunk: Buffer) => {
        err += chunk.toString('utf8');
      };
      const onClose = () => {
        this.#child = null;
        end(() => resolve(err.trim() || 'git update-ref ended'));
      };
      const onError = (cause: Error) => {
        this.#child = null;
        end(() => reject(cause));
      };
      const end = (finish: () => void) => {
        child.stdout.off('data', onOut);
        child.stderr.off('data', onErr);
        child.off('close', onClose).off('error', onError);
        finish();
      };
      child.stdout.on('data', onOut);
      child.stderr.on('data', onErr);
      child.on('close', onClose).on('error', onError);
      child.stdin.write(input);
    });
  }

  #start(): ChildProcessWithoutNullStreams {
    const child = spawn('git', ['update-ref', '--stdin'], { cwd: this.#gitDir, env: GIT_ENV });
    child.stdin.on('error', () => {
      // Told by 'close'.
    });
    this.#child = child;
    return child;
  }
}
