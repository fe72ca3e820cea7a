import { CatFile, type GitObject } from './cat-file.ts';
import { Lock } from './lock.ts';
import { type Ref, RefFiles } from './ref-files.ts';
import { type GitRun, runGit } from './run-git.ts';

/** A bare repository on disk: reads through files and one long-lived process, everything else by git itself. */
export class GitRepository {
  readonly dir: string;
  /** Held while refs are moved. */
  readonly lock = new Lock();
  readonly #catFile: CatFile;
  readonly #refs: RefFiles;

  constructor(dir: string) {
    this.dir = dir;
    this.#catFile = new CatFile(dir);
    this.#refs = new RefFiles(dir);
  }

  /** Oid of a full ref name (`refs/heads/main`), or null. */
  ref(name: string): Promise<string | null> {
    return this.#refs.read(name);
  }

  /** Refs below a prefix, sorted. */
  refs(prefix?: string): Promise<Ref[]> {
    return this.#refs.list(prefix);
  }

  /** The default branch, without `refs/heads/`. */
  defaultBranch(): Promise<string> {
    return this.#refs.headBranch();
  }

  /** The object a revision names, or null. */
  object(revision: string): Promise<GitObject | null> {
    return this.#catFile.read(revision);
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

  close(): Promise<void> {
    return this.#catFile.close();
  }
}
