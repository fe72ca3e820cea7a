export interface CachedAnswer {
  readonly etag: string;
  readonly data: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
}

/**
 * Answers by address, least recently used ones dropped first. ETags belong to a token, and installation tokens change
 * hourly: with another token the whole cache is void.
 */
export class EtagCache {
  readonly #capacity: number;
  readonly #answers = new Map<string, CachedAnswer>();
  #token: string | null = null;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Names the token of the next request. */
  useToken(token: string): void {
    if (this.#token !== token) this.#answers.clear();
    this.#token = token;
  }

  get(address: string): CachedAnswer | null {
    const answer = this.#answers.get(address);
    if (answer === undefined) return null;
    this.#answers.delete(address);
    this.#answers.set(address, answer);
    return answer;
  }

  /** Keeps an answer got with `token`; one that came after the token changed is dropped. */
  set(address: string, token: string, answer: CachedAnswer): void {
    if (token !== this.#token) return;
    this.#answers.delete(address);
    this.#answers.set(address, answer);
    const oldest = this.#answers.keys().next();
    if (this.#answers.size > this.#capacity && !oldest.done) this.#answers.delete(oldest.value);
  }
}
