import { CatFile, type GitObject } from './cat-file.ts';
import { History } from './history.ts';
import { Lock } from './lock.ts';
import { writeLooseObject } from './loose-object.ts';
import { ObjectCache } from './object-cache.ts';
import { PlainMoves } from './plain-moves.ts';
import { type Ref, RefFiles } from './ref-files.ts';
import { type RefMove, RefUpdates } from './ref-updates.ts';
import { type GitRun, runGit } from './run-git.ts';

/** More refs than this in files of their own make lists slow. */
const MANY_LOOSE = 500;

/** A bare repository on disk: reads through files and one long-lived process, everything else by git itself. */
export class GitRepository {
  readonly dir: string;
  /** Held while refs are moved. */
  readonly lock = new Lock();
  readonly #catFile: CatFile;
  readonly #cache = new ObjectCache();
  /** Walks commits without starting git. */
  readonly history = new History(this);
  readonly #refs: RefFiles;
  readonly #refUpdates: RefUpdates;
  #packing: Promise<void> | null = null;

  constructor(dir: string) {
    this.dir = dir;
    this.#catFile = new CatFile(dir);
    this.#refs = new RefFiles(dir);
    this.#refUpdates = new RefUpdates(dir, new PlainMoves(this, this.#refs));
  }

  /** Oid of a full ref name (`refs/heads/main`), or null. */
  async ref(name: string): Promise<string | null> {
    return this.#refs.read(name);
  }

  /** Refs below a prefix, sorted. */
  async refs(prefix?: string): Promise<readonly Ref[]> {
    const { refs, loose } = this.#refs.list(prefix);
    if (loose > MANY_LOOSE) this.#pack();
    return refs;
  }

  /** What all refs name, each once. */
  async tips(): Promise<ReadonlySet<string>> {
    const { oids, loose } = this.#refs.tips();
    if (loose > MANY_LOOSE) this.#pack();
    return oids;
  }

  /** The default branch, without `refs/heads/`. */
  defaultBranch(): Promise<string> {
    return this.#refs.headBranch();
  }

  /** The object a revision names, or null. */
  async object(revision: string): Promise<GitObject | null> {
    const known = this.#cache.get(revision);
    if (known) return known;
    const found = await this.#catFile.read(revision);
    if (found) this.#cache.set(revision, found);
    return found;
  }

  /** An object that is in memory. */
  cached(revision: string): GitObject | undefined {
    return this.#cache.get(revision);
  }

  /** Stores an object and answers its id. The content is not judged: what is no tree or commit must not come here. */
  write(type: GitObject['type'], content: Buffer): string {
    const oid = writeLooseObject(this.dir, type, content);
    this.#cache.set(oid, { oid, type, content });
    return oid;
  }

  /** Bytes of a file at a commit or tree, or null. */
  async file(revision: string, path: string): Promise<Buffer | null> {
    const object = await this.object(`${revision}:${path}`);
    return object?.type === 'blob' ? object.content : null;
  }

  /** Runs git in the repository. */
  run(
    args: readonly string[],
    options: { input?: Buffer | string; env?: Readonly<Record<string, string>> } = {},
  ): Promise<GitRun> {
    return runGit(args, { cwd: this.dir, ...options });
  }

  /** Moves refs in one transaction of git's own. Answers git's words when nothing was moved, or null. */
  moveRefs(moves: readonly RefMove[]): Promise<string | null> {
    return this.#refUpdates.run(moves);
  }

  async close(): Promise<void> {
    await this.#packing;
    await Promise.all([this.#catFile.close(), this.#refUpdates.close()]);
  }

  #pack(): void {
    this.#packing ??= this.run(['pack-refs', '--all']).then(() => {
      this.#packing = null;
    });
  }
}
