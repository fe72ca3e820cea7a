import type { GitObject } from './cat-file.ts';

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_OBJECT = 256 * 1024;

/** Objects that were read or written last, by what names them for ever: an object id, or a path or peel that starts with one. */
export class ObjectCache {
  readonly #objects = new Map<string, GitObject>();
  #bytes = 0;

  get(revision: string): GitObject | undefined {
    const found = this.#objects.get(revision);
    if (found === undefined) return undefined;
    this.#objects.delete(revision);
    this.#objects.set(revision, found);
    return found;
  }

  set(revision: string, object: GitObject): void {
    if (!/^[0-9a-f]{40}/.test(revision) || object.content.length > MAX_OBJECT) return;
    if (this.#objects.has(revision)) return;
    this.#objects.set(revision, object);
    this.#bytes += object.content.length + revision.length;
    for (const [oldest, { content }] of this.#objects) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#objects.delete(oldest);
      this.#bytes -= content.length + oldest.length;
    }
  }
}
