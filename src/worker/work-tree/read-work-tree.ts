import type { Oid } from '../../domain/ids.ts';
import { kindOfMode } from '../../git/tree-bytes.ts';
import { objectOid, type TreeFile, writeBlob, writeTree } from '../../git/write-objects.ts';
import type { IgnoredPaths } from './ignored-paths.ts';
import { type FileStamp, type FolderEntry, SafeFolder } from './safe-folder.ts';

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

export interface ChangedFile {
  readonly path: string;
  readonly kind: 'added' | 'modified' | 'deleted' | 'mode' | 'other';
  readonly blob: Oid | null;
}

/** Something in the work tree that no tree may hold, or that could not be read; it is left out. */
export interface TreeViolation {
  readonly code:
    | 'symlink'
    | 'nested-git'
    | 'special-file'
    | 'unreadable-name'
    | 'case-twin'
    | 'too-large'
    | 'too-many-files';
  readonly path: string;
}

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

  #pass(nowMs: number): Pass {
    return new Pass(this.#options, this.#base, this.#baseFolders, this.#seen, nowMs);
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

/** One walk through the work tree, level by level. */
class Pass {
  readonly violations: TreeViolation[] = [];
  readonly #files = new Map<string, TreeFile>();
  readonly #options: WorkTreeOptions;
  readonly #base: ReadonlyMap<string, TreeFile>;
  readonly #baseFolders: ReadonlySet<string>;
  readonly #seen: Map<string, { readonly stamp: FileStamp; readonly oid: Oid }>;
  readonly #startedNs: bigint;
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
  }

  async run(): Promise<ReadonlyMap<string, TreeFile>> {
    const root = await SafeFolder.open(this.#options.folder);
    if (root !== null) await this.#folder(root, '');
    return this.#files;
  }

  async #folder(folder: SafeFolder, prefix: string): Promise<void> {
    try {
      const entries = (await folder.entries()).filter((entry) => this.#mayRead(entry, prefix));
      const junk = await this.#options.ignored(
        entries.filter((entry) => !this.#isTracked(entry, prefix)).map((entry) => askedPath(entry, prefix)),
      );
      for (const entry of entries) {
        if (junk.has(askedPath(entry, prefix)) || this.#isFull(prefix)) continue;
        await this.#entry(folder, entry, prefix);
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

  async #entry(folder: SafeFolder, entry: FolderEntry, prefix: string): Promise<void> {
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
    const inner = await folder.folder(name);
    if (inner !== null) await this.#folder(inner, `${path}/`);
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

/** `.git` as some file system or other would read it: case, trailing dots and blanks, short names, invisible characters. */
export function isGitName(name: string): boolean {
  const plain = name.replace(/[\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, '').toLowerCase();
  return /^(\.git|git~\d+)[. ]*(:.*)?$/.test(plain);
}

function askedPath(entry: FolderEntry, prefix: string): string {
  return `${prefix}${entry.name ?? ''}${entry.kind === 'folder' ? '/' : ''}`;
}

function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function isSame(left: FileStamp, right: FileStamp): boolean {
  return (
    left.size === right.size &&
    left.changedNs === right.changedNs &&
    left.inode === right.inode &&
    left.executable === right.executable
  );
}

function changesBetween(
  base: ReadonlyMap<string, TreeFile>,
  files: ReadonlyMap<string, TreeFile>,
): ChangedFile[] {
  const changed: ChangedFile[] = [];
  for (const file of files.values()) {
    const before = base.get(file.path);
    if (before === undefined) changed.push({ path: file.path, kind: 'added', blob: file.oid });
    else if (before.oid !== file.oid || before.mode !== file.mode) changed.push(changeOf(before, file));
  }
  for (const before of base.values()) {
    if (!files.has(before.path)) changed.push({ path: before.path, kind: 'deleted', blob: null });
  }
  return changed.sort((left, right) => (left.path < right.path ? -1 : 1));
}

function changeOf(before: TreeFile, after: TreeFile): ChangedFile {
  const bothFiles = [before, after].every(({ mode }) => kindOfMode(mode) === 'blob');
  const kind = !bothFiles ? 'other' : before.oid === after.oid ? 'mode' : 'modified';
  return { path: after.path, kind, blob: after.oid };
}

/** New paths, or folders of theirs, that differ from others only by case or Unicode form: some file systems would merge them. */
function caseTwins(
  files: ReadonlyMap<string, TreeFile>,
  base: ReadonlyMap<string, TreeFile>,
): TreeViolation[] {
  const byFolded = new Map<string, string>();
  const twins = new Set<string>();
  // Base's own come first: what it holds already is not the agent's doing.
  const ordered = [...files.keys()].sort((left, right) => Number(base.has(right)) - Number(base.has(left)));
  for (const path of ordered) {
    for (const part of [...foldersOf(path), path]) {
      const folded = part.normalize('NFC').toLowerCase();
      const other = byFolded.get(folded);
      if (other !== undefined && other !== part && !base.has(path)) twins.add(path);
      byFolded.set(folded, other ?? part);
    }
  }
  return [...twins].map((path) => ({ code: 'case-twin', path }));
}
