import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NAME = /^[0-9a-f]{64}$/;

/** Bytes outside the state's text, each in a file named by its sha256: an artifact is written once, not with every save. */
export class BlobFolder {
  readonly #dir: string;
  readonly #known = new WeakMap<Buffer, string>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Keeps bytes, whose content must not change any more, and answers their name. */
  put(data: Buffer): string {
    const known = this.#known.get(data);
    if (known !== undefined) return known;
    const name = createHash('sha256').update(data).digest('hex');
    const path = join(this.#dir, name);
    if (!existsSync(path)) {
      mkdirSync(this.#dir, { recursive: true });
      writeFileSync(`${path}.tmp`, data, { mode: 0o600, flush: true });
      renameSync(`${path}.tmp`, path);
    }
    this.#known.set(data, name);
    return name;
  }

  /** The bytes of a name. Throws when they are not there or are others. */
  get(name: string): Buffer {
    if (!NAME.test(name)) throw new TypeError(`no name of a blob: ${name}`);
    const data = readFileSync(join(this.#dir, name));
    if (createHash('sha256').update(data).digest('hex') !== name)
      throw new TypeError(`the blob ${name} is damaged`);
    this.#known.set(data, name);
    return data;
  }

  /** Removes what no name stands for any more. */
  keepOnly(names: ReadonlySet<string>): void {
    if (!existsSync(this.#dir)) return;
    for (const name of readdirSync(this.#dir))
      if (!names.has(name)) rmSync(join(this.#dir, name), { force: true });
  }
}
