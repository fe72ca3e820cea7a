import type { Clock } from '../../host/clock.ts';
import { type ModelAccess, openModelAccess } from '../gateway/model-access.ts';
import { anthropic, readUpstream } from '../gateway/upstream-config.ts';

/** How the model is reached, as settings say it. */
export interface ModelSettings {
  readonly modelUrl: URL;
  /** One key a line; empty: none. */
  readonly modelKeys: string;
  /** What is behind the gateway, as JSON (docs/gateway.md); empty: the Messages API at `modelUrl`. */
  readonly upstream: string;
  /** Shared by all runs of the machine; null: this one is alone. */
  readonly machineFolder: string | null;
}

export interface OpenedModel {
  readonly access: ModelAccess;
  /** The API itself takes nobody without a key; other addresses may. */
  readonly lacksKey: boolean;
}

/** Opens the one way to the model that all runs of a pipeline share. Throws CcdError `worker.upstream` (operator). */
export async function openModel(
  settings: ModelSettings,
  environment: Readonly<Record<string, string | undefined>>,
  clock: Clock,
  warn: (message: string) => void,
): Promise<OpenedModel> {
  const given = settings.modelKeys
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((secret) => ({ kind: 'given' as const, secret }));
  const text = settings.upstream.trim();
  const read = text === '' ? { upstream: anthropic(settings.modelUrl), keys: null } : readUpstream(text);
  const keys = read.keys ?? given;
  const access = await openModelAccess({
    upstream: read.upstream,
    keys,
    machineFolder: settings.machineFolder,
    environment,
    clock,
    random: Math.random,
    warn,
    // What children write is never published by us as a log; keys that are fetched stay in this process.
    onSecret: () => undefined,
  });
  const isPublic = text === '' && settings.modelUrl.hostname === 'api.anthropic.com';
  return { access, lacksKey: isPublic && keys.length === 0 };
}
