/** A secret as it is, and as it stands in JSON, in an address and in Base64: the forms that GitHub's runner hides, too. */
function formsOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), base64];
}

/** Replaces secrets by `***`, longest first, so that a secret inside another leaves nothing behind. */
export class Masks {
  readonly #values = new Set<string>();
  #ordered: string[] = [];

  /** Remembers a secret; of a text with several lines, each line as well; each in its encodings. Blank values are not secrets. */
  add(secret: string): void {
    const lines = secret.split(/\r?\n/);
    for (const value of [secret, ...lines])
      if (value.trim() !== '') for (const form of formsOf(value)) this.#values.add(form);
    this.#ordered = [...this.#values].sort((a, b) => b.length - a.length);
  }

  apply(text: string): string {
    return this.#ordered.reduce((result, secret) => result.replaceAll(secret, '***'), text);
  }
}
