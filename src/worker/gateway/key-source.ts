import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { execa } from 'execa';
import { z } from 'zod';
import { CcdError } from '../../domain/errors.ts';

/** Where a slot's key or token comes from. */
export type KeySource =
  | { readonly kind: 'given'; readonly secret: string }
  | { readonly kind: 'command'; readonly argv: readonly [string, ...string[]] }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'metadata'; readonly url: URL };

/** A key or token that may have to be fetched anew. */
export interface Credential {
  /** Names it to other processes without telling it. */
  readonly name: string;
  /** Throws CcdError `worker.model-key` (operator) when it cannot be had. */
  secret(now: number): Promise<string | null>;
  /** The upstream did not take it: the next `secret` fetches it anew. True when there is a chance that it will be another. */
  refused(): boolean;
}

/** Where none is needed. */
export const noCredential: Credential = {
  name: 'none',
  secret: async () => null,
  refused: () => false,
};

/** How long a token without an end of its own is used; those of clouds live for an hour. */
const defaultLifeMs = 5 * 60_000;
/** A token is fetched anew so long before its end. */
const marginMs = 60_000;

export function credentialOf(
  source: KeySource,
  environment: Readonly<Record<string, string | undefined>>,
  onSecret: (secret: string) => void,
): Credential {
  if (source.kind === 'given') {
    const { secret } = source;
    return { name: nameOf(`key\n${secret}`), secret: async () => secret, refused: () => false };
  }
  let kept: { readonly secret: string; readonly until: number } | null = null;
  let fetching: Promise<Fetched> | null = null;
  let refetched = false;
  return {
    name: nameOf(JSON.stringify(source)),
    secret: async (now) => {
      if (kept !== null && now < kept.until) return kept.secret;
      fetching ??= fetchSecret(source, environment);
      try {
        const fetched = await fetching;
        onSecret(fetched.secret);
        kept = {
          secret: fetched.secret,
          until: now + Math.max(0, (fetched.lifeMs ?? defaultLifeMs) - marginMs),
        };
        return fetched.secret;
      } finally {
        fetching = null;
      }
    },
    refused: () => {
      kept = null;
      const first = !refetched;
      refetched = true;
      return first;
    },
  };
}

function nameOf(text: string): string {
  return createHash('sha256').update(`ccd model slot\n${text}`).digest('hex').slice(0, 24);
}

interface Fetched {
  readonly secret: string;
  readonly lifeMs: number | null;
}

async function fetchSecret(
  source: Exclude<KeySource, { kind: 'given' }>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Fetched> {
  try {
    const text = (await textOf(source, environment)).trim();
    if (text === '' || text.length > 20_000) throw new Error('nothing, or far too much, came back');
    return source.kind === 'metadata' ? tokenAnswer(text) : { secret: text, lifeMs: expiryOf(text) };
  } catch (cause) {
    throw new CcdError({
      code: 'worker.model-key',
      message: `The key for the model could not be had by ${source.kind}.`,
      remedy: 'Run the command, or look at the file or address, as the user of the runner.',
      audience: 'operator',
      cause: cause instanceof Error ? cause.message.slice(0, 200) : cause,
    });
  }
}

async function textOf(
  source: Exclude<KeySource, { kind: 'given' }>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  if (source.kind === 'file') return readFile(source.path, 'utf8');
  if (source.kind === 'metadata') return metadata(source.url);
  const [program, ...args] = source.argv;
  const { stdout } = await execa(program, args, {
    env: environment,
    extendEnv: false,
    stdin: 'ignore',
    stderr: 'ignore',
    timeout: 60_000,
    maxBuffer: 100_000,
  });
  return stdout;
}

/** Google's metadata server asks for this header, so that nobody is led to it unawares. */
async function metadata(url: URL): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      { headers: { 'metadata-flavor': 'Google' }, timeout: 10_000 },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (part: string) => {
          text += part;
          if (text.length > 100_000) request.destroy(new Error('far too much came back'));
        });
        answer.on('error', reject);
        answer.on('end', () =>
          answer.statusCode === 200 ? resolve(text) : reject(new Error(`status ${answer.statusCode}`)),
        );
      },
    );
    request.on('timeout', () => request.destroy(new Error('no answer in time')));
    request.on('error', reject);
    request.end();
  });
}

const tokenSchema = z.object({ access_token: z.string().min(1), expires_in: z.number().min(0) });

function tokenAnswer(text: string): Fetched {
  const { access_token: secret, expires_in: seconds } = tokenSchema.parse(JSON.parse(text));
  return { secret, lifeMs: seconds * 1000 };
}

const expirySchema = z.object({ Expiration: z.iso.datetime({ offset: true }) });

/** Credentials of a `credential_process` say when they end. */
function expiryOf(text: string): number | null {
  if (!text.startsWith('{')) return null;
  try {
    return Date.parse(expirySchema.parse(JSON.parse(text)).Expiration) - Date.now();
  } catch {
    return null;
  }
}
