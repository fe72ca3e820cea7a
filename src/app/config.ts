import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { CcdError } from '../domain/errors.ts';

const configSchema = z.object({
  appId: z.coerce.number().int().positive(),
  privateKey: z.string().min(1),
  webhookSecret: z.string().min(8),
  port: z.coerce.number().int().min(0).max(65_535),
  host: z.string().min(1),
  /** Root of the REST API. */
  apiUrl: z.url(),
  /** Root below which repositories are cloned. */
  gitUrl: z.url(),
  dataDir: z.string().min(1),
  /** Only these repositories (`owner/name`); empty: all that the app is installed on. */
  repositories: z.array(z.string().regex(/^[^/\s]+\/[^/\s]+$/)),
  sweepMs: z.coerce.number().int().positive(),
  pollMs: z.coerce.number().int().positive(),
  restMs: z.coerce.number().int().min(0),
  writeGapMs: z.coerce.number().int().min(0),
  takeoverMs: z.coerce.number().int().positive(),
});
export type AppConfig = z.infer<typeof configSchema>;

type Env = Readonly<Record<string, string | undefined>>;

/** The names of the settings, for messages and documentation. */
export const settingNames: Record<keyof AppConfig, string> = {
  appId: 'APP_ID',
  privateKey: 'PRIVATE_KEY or PRIVATE_KEY_PATH',
  webhookSecret: 'WEBHOOK_SECRET',
  port: 'PORT',
  host: 'HOST',
  apiUrl: 'CCD_API_URL',
  gitUrl: 'CCD_GIT_URL',
  dataDir: 'CCD_DATA',
  repositories: 'CCD_REPOSITORIES',
  sweepMs: 'CCD_SWEEP_MS',
  pollMs: 'CCD_POLL_MS',
  restMs: 'CCD_REST_MS',
  writeGapMs: 'CCD_WRITE_GAP_MS',
  takeoverMs: 'CCD_TAKEOVER_MS',
};

/** Reads the app's settings. Throws `config.invalid` that names every setting that is missing or wrong, never its value. */
export function readConfig(env: Env): AppConfig {
  const parsed = configSchema.safeParse({
    appId: env.APP_ID,
    privateKey: readKey(env),
    webhookSecret: env.WEBHOOK_SECRET,
    port: env.PORT ?? '3000',
    host: env.HOST ?? '127.0.0.1',
    apiUrl: env.CCD_API_URL ?? 'https://api.github.com',
    gitUrl: env.CCD_GIT_URL ?? 'https://github.com',
    dataDir: env.CCD_DATA ?? '.ccd',
    repositories: (env.CCD_REPOSITORIES ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    sweepMs: env.CCD_SWEEP_MS ?? '300000',
    pollMs: env.CCD_POLL_MS ?? '10000',
    restMs: env.CCD_REST_MS ?? '1000',
    writeGapMs: env.CCD_WRITE_GAP_MS ?? '1000',
    takeoverMs: env.CCD_TAKEOVER_MS ?? '20000',
  });
  if (parsed.success) return parsed.data;
  const names = [
    ...new Set(parsed.error.issues.map((issue) => settingNames[issue.path[0] as keyof AppConfig])),
  ];
  throw new CcdError({
    code: 'config.invalid',
    message: `Missing or wrong: ${names.join(', ')}.`,
    remedy: 'Set them in the environment; see docs/operations.md.',
    audience: 'operator',
  });
}

function readKey(env: Env): string | undefined {
  if (env.PRIVATE_KEY !== undefined) return env.PRIVATE_KEY.replace(/\\n/g, '\n');
  if (env.PRIVATE_KEY_PATH === undefined) return undefined;
  try {
    return readFileSync(env.PRIVATE_KEY_PATH, 'utf8');
  } catch (cause) {
    throw new CcdError({
      code: 'config.private-key',
      message: `The private key at PRIVATE_KEY_PATH cannot be read.`,
      remedy: 'Check the path and who may read it.',
      audience: 'operator',
      cause,
    });
  }
}
