import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { JobRecord } from '../runs/records.ts';

const claimsSchema = z.object({ scp: z.string(), exp: z.number() });

/** Which attempt of which run, and which job, a runtime token speaks for. */
export interface RuntimeClaims {
  readonly runId: number;
  readonly attempt: number;
  readonly jobId: number;
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Mints and reads the JWT that actions get as `ACTIONS_RUNTIME_TOKEN`; its `scp` names run and job. */
export class RuntimeTokens {
  readonly #key: string;
  readonly #revoked = new Set<number>();

  constructor(key: string) {
    this.#key = key;
  }

  mint(job: JobRecord, expiresAt: number): string {
    const scope = `Actions.Results:${job.run.id}-${job.attempt}:${job.id}`;
    const body = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ scp: scope, exp: Math.floor(expiresAt / 1000) })}`;
    return `${body}.${this.#sign(body)}`;
  }

  /** Ends the token of a job at once. */
  revoke(job: JobRecord): void {
    this.#revoked.add(job.id);
  }

  /** The claims of a token, or null when it is forged, expired or revoked. */
  read(token: string, now: number): RuntimeClaims | null {
    const [header, payload, signature] = token.split('.');
    const given = Buffer.from(signature ?? '');
    const right = Buffer.from(this.#sign(`${header}.${payload}`));
    if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
    const claims = claimsSchema.parse(JSON.parse(Buffer.from(payload!, 'base64url').toString('utf8')));
    const match = /Actions\.Results:(\d+)-(\d+):(\d+)/.exec(claims.scp);
    if (match === null || claims.exp * 1000 <= now || this.#revoked.has(Number(match[3]))) return null;
    return { runId: Number(match[1]), attempt: Number(match[2]), jobId: Number(match[3]) };
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}
