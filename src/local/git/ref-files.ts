import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface Ref {
  readonly name: string;
  readonly oid: string;
}

const OID = /^[0-9a-f]{40}$/;

/** Reads refs of a bare repository straight from its files: always true, without starting git. */
export class RefFiles {
  readonly #gitDir: string;
  #packed: { readonly stamp: string; readonly refs: ReadonlyMap<string, string> } | null = null;

  constructor(gitDir: string) {
    this.#gitDir = gitDir;
  }

  /** Oid of a full ref name, or null. */
  async read(name: string): Promise<string | null> {
    const text = await readFile(join(this.#gitDir, name), 'utf8').catch(() => null);
    const oid = text?.trim() ?? '';
    return OID.test(oid) ? oid : ((await this.#packedRefs()).get(name) ?? null);
  }

  /** The branch that HEAD names, without `refs/heads/`. */
  async headBranch(): Promise<string> {
    const text = await readFile(join(this.#gitDir, 'HEAD'), 'utf8');
    return text.trim().replace(/^ref: refs\/heads\//, '');
  }

  /** All refs below a prefix (`refs/`, `refs/heads/`, …), sorted by name. */
  async list(prefix = 'refs/'): Promise<Ref[]> {
    const found = new Map<string, string>();
    for (const [name, oid] of await this.#packedRefs()) if (name.startsWith(prefix)) found.set(name, oid);
    const folder = prefix.slice(0, prefix.lastIndexOf('/'));
    for (const name of await this.#looseNames(folder)) {
      if (!name.startsWith(prefix)) continue;
      const oid = (await readFile(join(this.#gitDir, name), 'utf8').catch(() => '')).trim();
      if (OID.test(oid)) found.set(name, oid);
    }
    return [...found].map(([name, oid]) => ({ name, oid })).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async #looseNames(folder: string): Promise<string[]> {
    const entries = await readdir(join(this.#gitDir, folder), { withFileTypes: true }).catch(() => []);
    const names = await Promise.all(
      entries.map(async (entry) => {
        const name = `${folder}/${entry.name}`;
        if (entry.isDirectory()) return this.#looseNames(name);
        return entry.name.endsWith('.lock') ? [] : [name];
      }),
    );
    return names.flat();
  }

  async #packedRefs(): Promise<ReadonlyMap<string, string>> {
    const path = join(this.#gitDir, 'packed-refs');
    const info = await stat(path).catch(() => null);
    const stamp = info ? `${info.mtimeMs}:${info.size}:${info.ino}` : 'none';
    if (this.#packed?.stamp === stamp) return this.#packed.refs;
    const refs = new Map<string, string>();
    const text = info ? await readFile(path, 'utf8') : '';
    for (const match of text.matchAll(/^([0-9a-f]{40}) (\S+)$/gm)) refs.set(match[2]!, match[1]!);
    this.#packed = { stamp, refs };
    return refs;
  }
}
