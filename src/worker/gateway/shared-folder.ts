import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { liveness, type Owner } from './owner.ts';

/** Larger than anything that is ever written here. */
const mostBytes = 16 * 1024;

/** How long a file of a process that cannot be looked up counts as alive after its last sign of life. */
const foreignLifeMs = 120_000;

/**
 * A folder in which processes of one user leave small files for each other: whole or not at all, readable by this user alone.
 * Nothing here is worth stopping work for: what cannot be read or written is told once, and work goes on without it.
 */
export class SharedFolder {
  readonly #path: string;
  readonly #warn: (what: string) => void;
  readonly #told = new Set<string>();

  private constructor(path: string, warn: (what: string) => void) {
    this.#path = path;
    this.#warn = warn;
  }

  /** Null when the folder cannot be made or written: the process then works for itself. */
  static async open(path: string, warn: (what: string) => void): Promise<SharedFolder | null> {
    const folder = new SharedFolder(path, warn);
    try {
      await mkdir(path, { recursive: true, mode: 0o700 });
      // Whoever owns it can take away what says that a key is in use.
      if ((await stat(path)).uid !== process.getuid?.())
        throw Object.assign(new Error(), { code: 'it is of another user' });
      const probe = `.probe-${process.pid}`;
      await folder.#write(probe, '');
      await folder.remove(probe);
      return folder;
    } catch (fault) {
      folder.#tell(`cannot be used: ${codeOf(fault)}`);
      return null;
    }
  }

  async list(): Promise<string[]> {
    try {
      return await readdir(this.#path);
    } catch (fault) {
      this.#tell(`cannot be listed: ${codeOf(fault)}`);
      return [];
    }
  }

  /** Null when it is not there (any more), or is no file of ours: a link, a device, another user's, too large, no JSON. */
  async read(name: string): Promise<unknown> {
    try {
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      const file = await open(join(this.#path, name), flags);
      try {
        const stat = await file.stat();
        const ours = stat.isFile() && stat.uid === process.getuid?.() && stat.size <= mostBytes;
        if (!ours) throw new Error('none of ours');
        return JSON.parse(await file.readFile('utf8')) as unknown;
      } finally {
        await file.close();
      }
    } catch (fault) {
      if (codeOf(fault) !== 'ENOENT') this.#tell(`holds a file that is none of ours: ${safeName(name)}`);
      return null;
    }
  }

  /** Replaces a file as a whole. */
  async write(name: string, value: unknown): Promise<boolean> {
    try {
      await this.#write(name, JSON.stringify(value));
      return true;
    } catch (fault) {
      this.#tell(`cannot be written: ${codeOf(fault)}`);
      return false;
    }
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.#path, name), { force: true }).catch(() => undefined);
  }

  /** A sign of life for those who cannot look the process up. */
  async touch(name: string, now: number): Promise<void> {
    await utimes(join(this.#path, name), now / 1000, now / 1000).catch(() => undefined);
  }

  /** Whether the process that left this file still runs, as far as can be known; by the file's time where it cannot. */
  async lives(name: string, owner: Owner, now: number): Promise<boolean> {
    const known = liveness(owner);
    if (known !== 'unknown') return known === 'alive';
    const age = await this.#age(name, now);
    return age !== null && age < foreignLifeMs;
  }

  async #age(name: string, now: number): Promise<number | null> {
    try {
      const file = await open(join(this.#path, name), constants.O_RDONLY | constants.O_NOFOLLOW);
      try {
        return Math.abs(now - (await file.stat()).mtimeMs);
      } finally {
        await file.close();
      }
    } catch {
      return null;
    }
  }

  async #write(name: string, text: string): Promise<void> {
    const temporary = join(this.#path, `.${randomBytes(9).toString('hex')}.tmp`);
    // Not flushed to the disk: what a power cut takes was about processes that it took, too.
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await rename(temporary, join(this.#path, name));
    } catch (fault) {
      await rm(temporary, { force: true });
      throw fault;
    } finally {
      await file.close();
    }
  }

  #tell(what: string): void {
    if (this.#told.has(what) || this.#told.size > 20) return;
    this.#told.add(what);
    this.#warn(`the machine's folder ${what}`);
  }
}

function codeOf(fault: unknown): string {
  const code = (fault as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'unreadable';
}

const safeName = (name: string): string => name.replace(/[^A-Za-z0-9._-]/g, '?').slice(0, 100);
