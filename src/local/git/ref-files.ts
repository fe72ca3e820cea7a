import { readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PackedRefs } from './packed-refs.ts';

export interface Ref {
  readonly name: string;
  readonly oid: string;
}

/** Longer names are no ref's: a path of files has to take them. */
const MAX_NAME = 2048;

const OID = /^[0-9a-f]{40}$/;

/** A file that was written less than this before it was read may be written again without its stamp telling. */
const RACY_MS = 100;
const MAX_KNOWN = 20_000;

interface KnownRef {
  readonly mtimeMs: number;
  readonly ino: number;
  readonly oid: string | null;
}

/**
 * Reads refs of a bare repository straight from its files: always true, without starting git. Reads are synchronous: a
 * ref is one small file, and handing it to a thread takes ten times as long as reading it. A file whose stamp is that of
 * the last time is not read again, as git does with its index ("racy git" in git's documentation).
 */
export class RefFiles {
  readonly #gitDir: string;
  readonly #known = new Map<string, KnownRef>();
  #packed: { readonly stamp: string; readonly refs: PackedRefs } | null = null;

  constructor(gitDir: string) {
    this.#gitDir = gitDir;
  }

  /** Oid of a full ref name, or null. */
  read(name: string): string | null {
    return this.#loose(name) ?? this.packed().get(name);
  }

  /** The branch that HEAD names, without `refs/heads/`. */
  async headBranch(): Promise<string> {
    const text = await readFile(join(this.#gitDir, 'HEAD'), 'utf8');
    return text.trim().replace(/^ref: refs\/heads\//, '');
  }

  /** All refs whose names start with a prefix (`refs/`, `refs/heads/`, …), sorted by name, and how many lie in files of their own. */
  list(prefix = 'refs/'): { readonly refs: readonly Ref[]; readonly loose: number } {
    const loose = this.#looseRefs(prefix);
    const packed = this.packed().startingWith(prefix);
    if (loose.size === 0) return { refs: packed, loose: 0 };
    const own = [...loose].map(([name, oid]) => ({ name, oid })).sort(byName);
    return {
      refs: merged(
        packed.filter(({ name }) => !loose.has(name)),
        own,
      ),
      loose: loose.size,
    };
  }

  /** What all refs name, each once, without a list of them; and how many lie in files of their own. */
  tips(): { readonly oids: ReadonlySet<string>; readonly loose: number } {
    const packed = this.packed();
    const hidden = new Map<string, number>();
    const tips = new Set<string>();
    const loose = this.#looseRefs('refs/');
    for (const [name, oid] of loose) {
      tips.add(oid);
      const before = packed.get(name);
      if (before !== null) hidden.set(before, (hidden.get(before) ?? 0) + 1);
    }
    for (const [oid, count] of packed.counts) if (count > (hidden.get(oid) ?? 0)) tips.add(oid);
    return { oids: tips, loose: loose.size };
  }

  #looseRefs(prefix: string): Map<string, string> {
    const loose = new Map<string, string>();
    for (const name of this.#looseNames(prefix.slice(0, prefix.lastIndexOf('/')))) {
      const oid = name.startsWith(prefix) ? this.#loose(name) : null;
      if (oid !== null) loose.set(name, oid);
    }
    return loose;
  }

  #loose(name: string): string | null {
    if (!isPlainPath(name)) return null;
    const path = join(this.#gitDir, name);
    try {
      const stamp = statSync(path, { throwIfNoEntry: false });
      if (!stamp?.isFile()) return null;
      const known = this.#known.get(name);
      if (known?.mtimeMs === stamp.mtimeMs && known.ino === stamp.ino) return known.oid;
      const text = readFileSync(path, 'utf8').trim();
      const oid = OID.test(text) ? text : null;
      this.#keep(name, { mtimeMs: stamp.mtimeMs, ino: stamp.ino, oid });
      return oid;
    } catch {
      // It went in between, or a ref stands where a folder should.
      return null;
    }
  }

  #keep(name: string, ref: KnownRef): void {
    const racy = Date.now() - ref.mtimeMs < RACY_MS;
    if (racy || this.#known.size >= MAX_KNOWN) this.#known.delete(name);
    else this.#known.set(name, ref);
  }

  #looseNames(folder: string): string[] {
    if (!isPlainPath(folder)) return [];
    const path = join(this.#gitDir, folder);
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [];
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return this.#looseNames(name);
      return entry.name.endsWith('.lock') ? [] : [name];
    });
  }

  /** Refs that share one file. */
  packed(): PackedRefs {
    const path = join(this.#gitDir, 'packed-refs');
    const info = statSync(path, { throwIfNoEntry: false });
    const stamp = info ? `${info.mtimeMs}:${info.size}:${info.ino}` : 'none';
    if (this.#packed?.stamp === stamp) return this.#packed.refs;
    const refs = new PackedRefs(info ? readFileSync(path, 'utf8') : '');
    this.#packed = { stamp, refs };
    return refs;
  }
}

/** Longest name of one file. */
const MAX_PART = 255;

/** True for what is a path below the folder and says so in the one way: a name comes from outside, and is a path of files here. */
function isPlainPath(name: string): boolean {
  if (name.includes('\0') || Buffer.byteLength(name) > MAX_NAME) return false;
  return name
    .split('/')
    .every((part) => part !== '' && !part.startsWith('.') && Buffer.byteLength(part) <= MAX_PART);
}

const byName = (a: Ref, b: Ref): number => (a.name < b.name ? -1 : 1);

/** Two sorted lists as one. */
function merged(one: readonly Ref[], other: readonly Ref[]): Ref[] {
  const all: Ref[] = [];
  let at = 0;
  for (const ref of one) {
    while (at < other.length && byName(other[at]!, ref) < 0) all.push(other[at++]!);
    all.push(ref);
  }
  return [...all, ...other.slice(at)];
}
