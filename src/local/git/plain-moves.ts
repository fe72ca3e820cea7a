import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { GitObject } from './cat-file.ts';
import { ZERO_OID } from './oid.ts';
import type { RefFiles } from './ref-files.ts';
import { isValidRefName } from './ref-name.ts';
import type { RefMove } from './ref-updates.ts';

/** The repository as far as moves need it. */
interface Objects {
  readonly dir: string;
  cached(revision: string): GitObject | undefined;
  object(revision: string): Promise<GitObject | null>;
}

/** Larger transactions are git's: it compares their names faster. */
const MAX_MOVES = 100;

/**
 * Moves of refs that need no more than a file each, made as git makes them: each ref's lock is taken, its value compared,
 * the new one renamed into place (git, refs/files-backend.c). Whatever is not plain (a lock that is held, a value that
 * differs, a folder in the way, a missing object, a deletion of a packed ref) is left to git, untouched, with its words.
 */
export class PlainMoves {
  readonly #objects: Objects;
  readonly #refs: RefFiles;

  constructor(objects: Objects, refs: RefFiles) {
    this.#objects = objects;
    this.#refs = refs;
  }

  /** Makes all moves, or none: then they are git's to judge. */
  async make(moves: readonly RefMove[]): Promise<boolean> {
    const real = moves.filter(({ before, after }) => before !== ZERO_OID || after !== ZERO_OID);
    if (real.length > MAX_MOVES || !areApart(real)) return false;
    // A repository that logs its moves wants them written there.
    if (existsSync(join(this.#objects.dir, 'logs'))) return false;
    for (const move of real) if (!(await this.#namesCommit(move))) return false;
    const locks = new Locks(this.#objects.dir);
    try {
      // Who packs refs holds this lock: a ref may not be packed while its file is taken away.
      if (real.some(({ after }) => after === ZERO_OID) && !locks.take('packed-refs')) return false;
      if (!real.every((move) => locks.take(move.ref, move.after) && this.#isPlain(move))) return false;
      for (const move of real) locks.commit(move);
      return true;
    } finally {
      locks.release();
    }
  }

  /** A branch names a commit, another ref may name a tag of one; all else is no plain case. */
  async #namesCommit({ ref, after }: RefMove): Promise<boolean> {
    if (!isValidRefName(ref)) return false;
    if (after === ZERO_OID || this.#objects.cached(after)?.type === 'commit') return true;
    const commit = await this.#objects.object(`${after}^{commit}`);
    return commit !== null && (commit.oid === after || !ref.startsWith('refs/heads/'));
  }

  /** Asked while the lock is held. */
  #isPlain({ ref, before, after }: RefMove): boolean {
    const packed = this.#refs.packed();
    if ((this.#refs.read(ref) ?? ZERO_OID) !== before) return false;
    const there = lstatSync(join(this.#objects.dir, ref), { throwIfNoEntry: false });
    if (after === ZERO_OID) return there?.isFile() === true && packed.get(ref) === null;
    if (there !== undefined) return there.isFile() && before !== ZERO_OID;
    return before !== ZERO_OID || (packed.startingWith(`${ref}/`).length === 0 && !this.#isBelowRef(ref));
  }

  /** Folders of the way to it were made with the lock: a ref in a file of its own cannot stand there. */
  #isBelowRef(ref: string): boolean {
    return foldersOf(ref).some((folder) => this.#refs.packed().get(folder) !== null);
  }
}

/** True when no ref of a transaction is another one of it, or its folder. */
function areApart(moves: readonly RefMove[]): boolean {
  const names = moves.map(({ ref }) => ref);
  return (
    new Set(names).size === names.length &&
    names.every((name) => !names.some((other) => other.startsWith(`${name}/`)))
  );
}

/** `refs/heads/a/b` → `refs/heads/a`: what is neither `refs` nor a folder that git keeps. */
function foldersOf(ref: string): string[] {
  const parts = ref.split('/');
  return parts.slice(0, -1).flatMap((_, at) => (at < 2 ? [] : [parts.slice(0, at + 1).join('/')]));
}

/** How a lock that is held shows, a ref in the place of a folder, or a name that no file can have. */
const IN_THE_WAY = new Set(['EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG']);

/** The `.lock` files of one transaction; those of refs hold what the ref is to name. */
class Locks {
  readonly #dir: string;
  readonly #held = new Set<string>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** False when somebody else holds it, or a file stands where a folder must. */
  take(name: string, oid?: string): boolean {
    const path = join(this.#dir, `${name}.lock`);
    try {
      mkdirSync(dirname(path), { recursive: true });
      const file = openSync(path, 'wx');
      this.#held.add(path);
      try {
        if (oid !== undefined && oid !== ZERO_OID) writeFileSync(file, `${oid}\n`);
      } finally {
        closeSync(file);
      }
      return true;
    } catch (error) {
      // A disk that is full or may not be written is no refusal of a ref.
      if (!IN_THE_WAY.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      return false;
    }
  }

  commit({ ref, after }: RefMove): void {
    const path = join(this.#dir, ref);
    if (after !== ZERO_OID) {
      renameSync(`${path}.lock`, path);
      this.#held.delete(`${path}.lock`);
      return;
    }
    unlinkSync(path);
    unlinkSync(`${path}.lock`);
    this.#held.delete(`${path}.lock`);
    this.#tidy(ref);
  }

  release(): void {
    for (const path of this.#held) unlinkSync(path);
  }

  /** Takes folders away that hold no ref any more. */
  #tidy(ref: string): void {
    try {
      for (const folder of foldersOf(ref).reverse()) rmdirSync(join(this.#dir, folder));
    } catch {
      // The first that is not empty: another ref lies there.
    }
  }
}
