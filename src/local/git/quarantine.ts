import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CatFile } from './cat-file.ts';
import type { Look } from './commit-log.ts';
import { History, type ObjectSource } from './history.ts';
import type { GitRepository } from './repository.ts';
import { runGit } from './run-git.ts';

export type Unpacked = { readonly kind: 'unpacked' } | { readonly kind: 'broken'; readonly reason: string };

/** Objects of a push before it is judged: they see the repository, the repository does not see them. */
export class Quarantine {
  readonly #repository: GitRepository;
  readonly #dir: string;
  readonly #catFile: CatFile;
  /** How the objects of the push are seen, together with those of the repository. */
  readonly look: Omit<Look, 'tips'>;

  private constructor(repository: GitRepository, dir: string) {
    this.#repository = repository;
    this.#dir = dir;
    const env = {
      GIT_OBJECT_DIRECTORY: dir,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(repository.dir, 'objects'),
    };
    this.#catFile = new CatFile(repository.dir, env);
    const source: ObjectSource = {
      object: async (revision) => repository.cached(revision) ?? this.#catFile.read(revision),
    };
    this.look = { env, source, history: new History(source) };
  }

  static async open(repository: GitRepository): Promise<Quarantine> {
    const dir = await mkdtemp(join(repository.dir, 'objects', 'tmp_objdir-incoming-'));
    await mkdir(join(dir, 'pack'), { recursive: true });
    return new Quarantine(repository, dir);
  }

  /** Unpacks a pack; few objects become loose ones, many stay a pack. Objects are checked as `transfer.fsckObjects` does. */
  async unpack(pack: Buffer): Promise<Unpacked> {
    if (pack.length < 12 || pack.toString('latin1', 0, 4) !== 'PACK')
      return { kind: 'broken', reason: 'bad pack' };
    const args =
      pack.readUInt32BE(8) < 100
        ? ['unpack-objects', '-q', '--strict']
        : ['index-pack', '--stdin', '--fix-thin', '--strict'];
    const run = await runGit(args, { cwd: this.#repository.dir, input: pack, env: this.look.env });
    return run.code === 0 ? { kind: 'unpacked' } : { kind: 'broken', reason: run.stderr.trim() };
  }

  /** Makes the objects part of the repository. */
  async migrate(): Promise<void> {
    for (const folder of await readdir(this.#dir)) {
      const target = join(this.#repository.dir, 'objects', folder);
      await mkdir(target, { recursive: true });
      const names = (await readdir(join(this.#dir, folder))).sort(packsBeforeIndexes);
      for (const name of names) await rename(join(this.#dir, folder, name), join(target, name));
    }
  }

  async discard(): Promise<void> {
    await this.#catFile.close();
    await rm(this.#dir, { recursive: true, force: true });
  }
}

/** git looks for `.idx` files: the pack must be there before its index. */
const packsBeforeIndexes = (a: string, b: string): number =>
  Number(a.endsWith('.idx')) - Number(b.endsWith('.idx'));
