/** Replaces secrets by `***`, longest first, so that a secret inside another leaves nothing behind. */
export class Masks {
  readonly #values = new Set<string>();
  #ordered: string[] = [];

  /** Remembers a secret; of a text with several lines, each line as well. Blank values are not secrets. */
  add(secret: string): void {
    const lines = secret.split(/\r?\n/);
    for (const value of [secret, ...lines]) if (value.trim() !== '') this.#values.add(value);
    this.#ordered = [...this.#values].sort((a, b) => b.length - a.length);
  }

  apply(text: string): string {
    return this.#ordered.reduce((result, secret) => result.replaceAll(secret, '***'), text);
  }
}
