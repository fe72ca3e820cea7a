import type { Oid } from '../../domain/ids.ts';
import { kindOfMode } from '../../git/tree-bytes.ts';
import { objectOid, type TreeFile, writeBlob } from '../../git/write-objects.ts';
import { isGitName } from './git-name.ts';
import type { IgnoreAnswers, IgnoredPaths } from './ignored-paths.ts';
import { type FileStamp, type FolderEntry, SafeFolder } from './safe-folder.ts';
import type { TreeViolation } from './tree-violation.ts';

/** Deeper than this nothing is read: no tree that goes further is taken in. */
const deepest = 60;

export interface WorkTreeBase {
  readonly tree: Oid;
  readonly files: readonly TreeFile[];
}

export interface WorkTreeOptions {
  /** The parent's own repository, out of the agent's reach; objects are written there. */
  readonly gitDir: string;
  readonly folder: string;
  readonly base: WorkTreeBase;
  readonly ignored: IgnoredPaths;
  /** What the folder held when it was made. */
  readonly laid: readonly TreeFile[];
  readonly maxFiles?: number;
  readonly maxFileBytes?: number;
}

/** One walk through the work tree, level by level. */
export class TreePass {
  readonly violations: TreeViolation[] = [];
  readonly #files = new Map<string, TreeFile>();
  readonly #options: WorkTreeOptions;
  readonly #base: ReadonlyMap<string, TreeFile>;
  readonly #baseFolders: ReadonlySet<string>;
  readonly #seen: Map<string, { readonly stamp: FileStamp; readonly oid: Oid }>;
  readonly #startedNs: bigint;
  readonly #ignored: IgnoreAnswers;
  #entries = 0;

  constructor(
    options: WorkTreeOptions,
    base: ReadonlyMap<string, TreeFile>,
    baseFolders: ReadonlySet<string>,
    seen: Map<string, { readonly stamp: FileStamp; readonly oid: Oid }>,
    nowMs: number,
  ) {
    this.#options = options;
    this.#base = base;
    this.#baseFolders = baseFolders;
    this.#seen = seen;
    this.#startedNs = BigInt(Math.floor(nowMs)) * 1_000_000n;
    this.#ignored = options.ignored();
  }

  async run(): Promise<ReadonlyMap<string, TreeFile>> {
    try {
      const root = await SafeFolder.open(this.#options.folder);
      if (root !== null) await this.#folder(root, '', 0);
      return this.#files;
    } finally {
      await this.#ignored.close();
    }
  }

  async #folder(folder: SafeFolder, prefix: string, depth: number): Promise<void> {
    try {
      const entries = (await folder.entries()).filter((entry) => this.#mayRead(entry, prefix));
      const junk = await this.#ignored.junk(
        entries.filter((entry) => !this.#isTracked(entry, prefix)).map((entry) => askedPath(entry, prefix)),
      );
      for (const entry of entries) {
        if (junk.has(askedPath(entry, prefix))) continue;
        // What base holds is read in any case: left out, it would look deleted.
        if (!this.#isTracked(entry, prefix) && this.#isFull(prefix)) continue;
        await this.#entry(folder, entry, prefix, depth);
      }
    } finally {
      await folder.close();
    }
  }

  /** Tracked: base has it, or something below it. A tracked folder is walked even where the rules call it junk. */
  #isTracked(entry: FolderEntry, prefix: string): boolean {
    const path = `${prefix}${entry.name ?? ''}`;
    return this.#base.has(path) || this.#baseFolders.has(path);
  }

  #mayRead(entry: FolderEntry, prefix: string): boolean {
    if (entry.name === null) {
      this.#report('unreadable-name', `${prefix}?`);
      return false;
    }
    if (!isGitName(entry.name)) return true;
    // The agent's own throw-away repository lies at the root; anywhere else a `.git` is an attempt to smuggle.
    if (prefix !== '' || entry.name !== '.git') this.#report('nested-git', `${prefix}${entry.name}`);
    return false;
  }

  async #entry(folder: SafeFolder, entry: FolderEntry, prefix: string, depth: number): Promise<void> {
    const name = entry.name ?? '';
    const path = `${prefix}${name}`;
    const before = this.#base.get(path);
    this.#entries += 1;
    if (entry.kind === 'symlink') return this.#link(folder, name, path, before);
    if (entry.kind === 'special') return this.#report('special-file', path);
    if (entry.kind === 'file') return this.#file(folder, name, path);
    if (before !== undefined && kindOfMode(before.mode) === 'gitlink') {
      // A submodule is not checked out for the agent: it stays what base says.
      this.#files.set(path, before);
      return;
    }
    if (depth >= deepest && !this.#baseFolders.has(path)) return this.#report('too-deep', path);
    const inner = await folder.folder(name);
    if (inner !== null) await this.#folder(inner, `${path}/`, depth + 1);
  }

  async #link(folder: SafeFolder, name: string, path: string, before: TreeFile | undefined): Promise<void> {
    const target = await folder.link(name);
    if (target === null) return;
    const oid = await writeBlob(this.#options.gitDir, target);
    if (before?.oid !== oid || before.mode !== '120000') this.#report('symlink', path);
    this.#files.set(path, { mode: '120000', oid, path });
  }

  async #file(folder: SafeFolder, name: string, path: string): Promise<void> {
    const maxBytes = this.#options.maxFileBytes ?? 64 * 1024 * 1024;
    const before = this.#seen.get(path);
    const reading = await folder.file(
      name,
      maxBytes,
      (stamp) => before !== undefined && isSame(before.stamp, stamp),
    );
    if (!('kind' in reading)) {
      if (before !== undefined) this.#keep(path, before.oid, reading);
      return;
    }
    if (reading.kind === 'gone') return;
    if (reading.kind === 'too-large') return this.#report('too-large', path);
    const oid = await this.#blob(path, reading.content);
    // A file changed in the same moment could change again without showing it: only settled ones are remembered.
    if (reading.stamp.changedNs + 1_000_000_000n < this.#startedNs)
      this.#seen.set(path, { stamp: reading.stamp, oid });
    this.#keep(path, oid, reading.stamp);
  }

  /** Base's own blobs are in the repository already. */
  async #blob(path: string, content: Buffer): Promise<Oid> {
    const oid = objectOid('blob', content);
    return this.#base.get(path)?.oid === oid ? oid : await writeBlob(this.#options.gitDir, content);
  }

  #keep(path: string, oid: Oid, stamp: FileStamp): void {
    this.#files.set(path, { mode: stamp.executable ? '100755' : '100644', oid, path });
  }

  #isFull(prefix: string): boolean {
    if (this.#entries < (this.#options.maxFiles ?? 200_000)) return false;
    if (!this.violations.some(({ code }) => code === 'too-many-files'))
      this.#report('too-many-files', prefix);
    return true;
  }

  #report(code: TreeViolation['code'], path: string): void {
    if (this.violations.length < 1000) this.violations.push({ code, path });
  }
}

function askedPath(entry: FolderEntry, prefix: string): string {
  return `${prefix}${entry.name ?? ''}${entry.kind === 'folder' ? '/' : ''}`;
}

function isSame(left: FileStamp, right: FileStamp): boolean {
  return (
    left.size === right.size &&
    left.changedNs === right.changedNs &&
    left.inode === right.inode &&
    left.executable === right.executable
  );
}
