import type { Oid } from '../../domain/ids.ts';
import { type TreeFile, writeTree } from '../../git/write-objects.ts';
import type { FileStamp } from './safe-folder.ts';
import { type ChangedFile, changesBetween } from './tree-changes.ts';
import { TreePass, type WorkTreeOptions } from './tree-pass.ts';
import { caseTwins, foldersOf, type TreeViolation } from './tree-violation.ts';

export interface WorkTreeReading {
  /** Base's own tree when nothing changed. */
  readonly tree: Oid;
  readonly changed: readonly ChangedFile[];
  readonly violations: readonly TreeViolation[];
}

/**
 * Reads an agent's work tree into tree objects, while the agent may still be writing: through descriptors, regular files
 * byte for byte, a changed symbolic link as the link itself (and reported), nothing of any `.git`. Base's ignore rules
 * tell junk apart; what base tracks is always read.
 */
export class WorkTree {
  readonly #options: WorkTreeOptions;
  readonly #base: ReadonlyMap<string, TreeFile>;
  readonly #baseFolders: ReadonlySet<string>;
  readonly #seen = new Map<string, { readonly stamp: FileStamp; readonly oid: Oid }>();
  /** By path: what set-up or a check left there, and what the agent had there before. */
  readonly #foreign = new Map<
    string,
    { readonly left: TreeFile | undefined; readonly own: TreeFile | undefined }
  >();
  /** The agent's files as they were last seen. */
  #own: ReadonlyMap<string, TreeFile>;

  constructor(options: WorkTreeOptions) {
    this.#options = options;
    this.#base = new Map(options.base.files.map((file) => [file.path, file]));
    this.#baseFolders = new Set(options.base.files.flatMap((file) => foldersOf(file.path)));
    this.#own = new Map(options.laid.map((file) => [file.path, file]));
  }

  /**
   * Takes what differs now from the last reading (at first: from what was laid) for the work of somebody else: set-up, or a
   * check. As long as it stays so, it counts as neither there nor changed. The agent must not be running.
   */
  async noteForeign(nowMs: number): Promise<void> {
    const files = await this.#pass(nowMs).run();
    const known = this.#withoutForeign(files);
    for (const path of new Set([...known.keys(), ...this.#own.keys()])) {
      const own = this.#own.get(path);
      if (!isSameFile(own, known.get(path))) this.#foreign.set(path, { left: files.get(path), own });
    }
  }

  async read(nowMs: number): Promise<WorkTreeReading> {
    const pass = this.#pass(nowMs);
    const files = this.#withoutForeign(await pass.run());
    this.#own = files;
    const changed = changesBetween(this.#base, files);
    const violations = [...pass.violations, ...caseTwins(files, this.#base)];
    if (changed.length === 0) return { tree: this.#options.base.tree, changed, violations };
    return { tree: await writeTree(this.#options.gitDir, [...files.values()]), changed, violations };
  }

  #pass(nowMs: number): TreePass {
    return new TreePass(this.#options, this.#base, this.#baseFolders, this.#seen, nowMs);
  }

  #withoutForeign(files: ReadonlyMap<string, TreeFile>): ReadonlyMap<string, TreeFile> {
    if (this.#foreign.size === 0) return files;
    const result = new Map(files);
    for (const [path, { left, own }] of this.#foreign) {
      if (!isSameFile(left, files.get(path))) continue;
      if (own === undefined) result.delete(path);
      else result.set(path, own);
    }
    return result;
  }
}

function isSameFile(left: TreeFile | undefined, right: TreeFile | undefined): boolean {
  return left?.oid === right?.oid && left?.mode === right?.mode;
}
