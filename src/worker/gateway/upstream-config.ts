import { z } from 'zod';
import { CcdError } from '../../domain/errors.ts';
import { bedrockUpstream } from './bedrock-upstream.ts';
import type { KeySource } from './key-source.ts';
import { messagesUpstream } from './messages-upstream.ts';
import type { Upstream } from './upstream.ts';
import { vertexUpstream } from './vertex-upstream.ts';

const url = z
  .url({ protocol: /^https?$/ })
  .transform((text) => new URL(text))
  .refine(({ username, password, search, hash }) => `${username}${password}${search}${hash}` === '', {
    message: 'no user, password, query or fragment',
  });
const models = z.record(z.string().min(1).max(300), z.string().min(1).max(2048)).default({});
const place = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.:_-]{0,100}$/);
const command = z.tuple([z.string().min(1)], z.string());
/** Where keys come from when not from the secret. */
const keys = z
  .union([
    z.strictObject({ command }).transform(({ command: argv }): KeySource => ({ kind: 'command', argv })),
    z
      .strictObject({ file: z.string().min(1) })
      .transform(({ file }): KeySource => ({ kind: 'file', path: file })),
    z
      .strictObject({ metadata: url })
      .transform(({ metadata }): KeySource => ({ kind: 'metadata', url: metadata })),
  ])
  .array()
  .min(1)
  .optional();
const header = z
  .string()
  .transform((name) => name.toLowerCase())
  .pipe(z.string().regex(/^[a-z0-9][a-z0-9-]{0,60}$/))
  .refine((name) => !['host', 'content-length', 'connection', 'transfer-encoding'].includes(name));

/** What stands in the setting of the upstream. Secrets have no place in it. */
const upstreamSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('anthropic'), url: url.optional(), models, keys }),
  z.strictObject({
    kind: z.literal('messages'),
    url,
    /** `bearer`, or the name of the header that takes the key. */
    auth: z.union([z.literal('bearer'), header]).default('bearer'),
    models,
    keys,
  }),
  z.strictObject({
    kind: z.literal('bedrock'),
    region: place,
    url: url.optional(),
    auth: z.enum(['sigv4', 'bearer']).default('sigv4'),
    models,
    keys,
  }),
  z.strictObject({
    kind: z.literal('vertex'),
    project: place,
    region: place,
    url: url.optional(),
    models,
    keys,
  }),
]);

export interface ConfiguredUpstream {
  readonly upstream: Upstream;
  /** Null: keys are those of the secret. */
  readonly keys: readonly KeySource[] | null;
}

/** Reads the setting, a JSON text. Throws CcdError `worker.upstream` (operator) that names what is wrong, never a value. */
export function readUpstream(text: string): ConfiguredUpstream {
  const parsed = upstreamSchema.safeParse(parseJson(text));
  if (!parsed.success) {
    throw new CcdError({
      code: 'worker.upstream',
      message: `The model's upstream cannot be used: ${problems(parsed.error)}.`,
      remedy: 'Correct the setting; docs/gateway.md has one example of each kind.',
      audience: 'operator',
    });
  }
  return { upstream: upstreamOf(parsed.data), keys: parsed.data.keys ?? null };
}

function upstreamOf(config: z.infer<typeof upstreamSchema>): Upstream {
  switch (config.kind) {
    case 'anthropic':
      return anthropic(config.url ?? new URL('https://api.anthropic.com'), config.models);
    case 'messages': {
      const keyHeader = config.auth === 'bearer' ? 'authorization' : config.auth;
      return messagesUpstream({ kind: 'messages', url: config.url, keyHeader, models: config.models });
    }
    case 'bedrock':
      return bedrockUpstream({ ...config, url: config.url ?? null });
    case 'vertex':
      return vertexUpstream({ ...config, url: config.url ?? null });
  }
}

/** The Messages API at an address, its key in `x-api-key`. */
export function anthropic(address: URL, models: Readonly<Record<string, string>> = {}): Upstream {
  return messagesUpstream({ kind: 'anthropic', url: address, keyHeader: 'x-api-key', models });
}

function problems(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map(({ path, code }) => `${path.map(String).join('.') || 'the whole'} (${code})`)
    .join(', ');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
