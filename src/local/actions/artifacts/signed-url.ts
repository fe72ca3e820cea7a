import { createHmac, timingSafeEqual } from 'node:crypto';

/** What an address allows: one thing, on one object, until a time. */
export interface Grant {
  readonly action: 'upload' | 'download' | 'cache-upload' | 'cache-download' | 'log' | 'logs';
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Makes and checks addresses that carry their own permission, as blob stores give them out. */
export class SignedUrls {
  readonly #key: string;
  readonly #origin: () => string;

  constructor(key: string, origin: () => string) {
    this.#key = key;
    this.#origin = origin;
  }

  sign(grant: Grant): string {
    const url = new URL(`/_actions/${grant.action}/${grant.id}`, this.#origin());
    url.searchParams.set('se', String(grant.expiresAt));
    url.searchParams.set('sig', this.#signature(grant));
    return url.href;
  }

  /** The grant behind an address, or null when it is none, was altered or is over. */
  check(url: URL, now: number): Grant | null {
    const match = /^\/_actions\/((?:cache-)?(?:upload|download)|logs?)\/([\d-]+)$/.exec(url.pathname);
    if (match === null) return null;
    const grant: Grant = {
      action: match[1] as Grant['action'],
      id: match[2]!,
      expiresAt: Number(url.searchParams.get('se')),
    };
    const given = Buffer.from(url.searchParams.get('sig') ?? '');
    const right = Buffer.from(this.#signature(grant));
    if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
    return grant.expiresAt > now ? grant : null;
  }

  #signature(grant: Grant): string {
    return createHmac('sha256', this.#key)
      .update(`${grant.action} ${grant.id} ${grant.expiresAt}`)
      .digest('base64url');
  }
}
