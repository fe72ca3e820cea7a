import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CliIo } from '../command.ts';
import { usage } from '../usage.ts';

/** Path of the executable that `--agent` names: as it stands when it holds a slash, else searched on the PATH. */
export async function findAgent(name: string, io: CliIo): Promise<string> {
  const places = name.includes('/')
    ? [resolve(io.cwd, name)]
    : (io.env.PATH ?? '')
        .split(':')
        .filter((dir) => dir !== '')
        .map((dir) => resolve(io.cwd, dir, name));
  for (const place of places) {
    const found = await stat(place).catch(() => null);
    if (found?.isFile() && (found.mode & 0o111) !== 0) return place;
  }
  throw usage(
    `The agent ${name} is no executable that can be found.`,
    'Give the path of an executable with --agent, or install it on the PATH.',
  );
}
