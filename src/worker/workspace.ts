import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Oid } from '../domain/ids.ts';
import type { Clone } from '../git/bare-clone.ts';
import type { TreeFile } from '../git/write-objects.ts';
import type { AttemptFolders } from './folders.ts';
import { makeAgentRepository } from './work-tree/agent-repository.ts';
import { type IgnoredPaths, ignoredPaths } from './work-tree/ignored-paths.ts';
import { layTree } from './work-tree/lay-tree.ts';
import { WorkTree } from './work-tree/work-tree.ts';

/** One work folder of the agent's, and the parent's way of reading it. */
export interface Workspace {
  readonly folder: string;
  /** Where this workspace started from. */
  readonly start: Oid;
  readonly tree: WorkTree;
}

/** Makes work folders for one attempt: each new, so that nothing an earlier run left behind is ever written through. */
export class WorkspaceMaker {
  readonly #clone: Clone;
  readonly #folders: AttemptFolders;
  readonly #base: { readonly commit: Oid; readonly tree: Oid };
  #files: readonly TreeFile[] | null = null;
  #ignored: IgnoredPaths | null = null;
  #count = 0;

  constructor(clone: Clone, folders: AttemptFolders, base: { readonly commit: Oid; readonly tree: Oid }) {
    this.#clone = clone;
    this.#folders = folders;
    this.#base = base;
  }

  /**
   * Lays `start` into a fresh folder, with a throw-away repository on base, and runs `prepare` there (the task's set-up).
   * What that leaves behind is not the agent's doing and is told apart later.
   */
  async make(start: Oid, prepare: (workspace: Workspace) => Promise<void>): Promise<Workspace> {
    this.#count += 1;
    const folder = join(this.#folders.root, 'agent', `work-${this.#count}`);
    await mkdir(folder, { mode: 0o700 });
    const laid = await layTree(this.#clone.objects, start, folder);
    await makeAgentRepository(folder, this.#clone.dir, this.#base.commit);
    const tree = new WorkTree({
      gitDir: this.#clone.dir,
      folder,
      base: { tree: this.#base.tree, files: await this.#baseFiles() },
      ignored: await this.#ignoredPaths(),
      laid,
    });
    const workspace = { folder, start, tree };
    await prepare(workspace);
    return workspace;
  }

  async #baseFiles(): Promise<readonly TreeFile[]> {
    this.#files ??= await this.#clone.objects.readTree(this.#base.tree);
    return this.#files;
  }

  async #ignoredPaths(): Promise<IgnoredPaths> {
    const folder = join(this.#folders.private, 'ignore');
    this.#ignored ??= await ignoredPaths(this.#clone.dir, this.#base.tree, folder);
    return this.#ignored;
  }
}
