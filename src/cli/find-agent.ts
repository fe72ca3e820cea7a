import { realpath, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { CliIo } from './command.ts';
import { usage } from './usage.ts';

/**
 * Path of the executable that `--agent` names: as it stands when it holds a slash, else searched on the PATH. Throws `cli.usage` when there
 * is none, or when it is the real CLI and there is no key for it: in its sandbox it finds no login of yours.
 */
export async function findAgent(name: string, io: CliIo): Promise<string> {
  const places = name.includes('/')
    ? [resolve(io.cwd, name)]
    : (io.env.PATH ?? '')
        .split(':')
        .filter((dir) => dir !== '')
        .map((dir) => resolve(io.cwd, dir, name));
  for (const place of places) {
    const found = await stat(place).catch(() => null);
    if (!found?.isFile() || (found.mode & 0o111) === 0) continue;
    if ((await isClaude(place)) && (io.env.ANTHROPIC_API_KEY ?? '') === '')
      throw usage(
        'There is no key for claude.',
        'Set ANTHROPIC_API_KEY; a login is not seen in the sandbox.',
      );
    return place;
  }
  throw usage(
    `The agent ${name} is no executable that can be found.`,
    'Give the path of an executable with --agent, or install it on the PATH.',
  );
}

async function isClaude(place: string): Promise<boolean> {
  return [place, await realpath(place)].some((path) => /^claude(\.exe)?$/.test(basename(path)));
}
