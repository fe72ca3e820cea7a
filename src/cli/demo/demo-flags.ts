import type { CliIo } from '../command.ts';

/** Options of `ccd demo`. */
export interface DemoFlags {
  readonly agent?: string;
  readonly repo?: string;
  readonly spec?: string;
  readonly out?: string;
  readonly keep?: boolean;
  readonly json?: boolean;
}

/** The real CLI's key and address, as a person has them in the environment; they go to the repository's secrets. */
export function modelVariables(io: CliIo): Record<string, string> {
  const url = io.env.ANTHROPIC_BASE_URL;
  return url === undefined ? {} : { CCD_MODEL_URL: url };
}

export function modelSecrets(io: CliIo): Record<string, string> {
  const key = io.env.ANTHROPIC_API_KEY;
  return key === undefined ? {} : { CCD_MODEL_KEY: key };
}
