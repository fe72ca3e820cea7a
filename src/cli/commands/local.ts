import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CcdError } from '../../domain/errors.ts';
import { checkGit } from '../../git/check-git.ts';
import { createActions } from '../../local/actions/actions.ts';
import { createUser, createUserToken, importRepository } from '../../local/seed.ts';
import { type LocalGitHub, start } from '../../local/server.ts';
import type { CliCommand, CliIo } from '../command.ts';
import { openThrowaway, type Throwaway } from '../throwaway.ts';
import { usage } from '../usage.ts';

interface LocalFlags {
  readonly repo?: string;
  readonly port: string;
  readonly data?: string;
  readonly json?: boolean;
}

/** `ccd local`: the local GitHub by itself, for trying things with Octokit, curl and git. */
export const localCommand: CliCommand = {
  name: 'local',
  register: (program: Command, io: CliIo) => {
    program
      .command('local')
      .description('Serve the local GitHub on a loopback port until Ctrl-C.')
      .option('--repo <dir>', 'a git repository to import as maintainer/project')
      .option('--port <n>', 'the port; 0 takes any', '0')
      .option('--data <dir>', 'where its repositories lie; a throw-away folder unless given')
      .option('--json', 'print address and token as one JSON document')
      .addHelpText('after', '\nExample:\n  ccd local --repo . --port 4000\n')
      .action((flags: LocalFlags) => runLocal(flags, io));
  },
};

async function runLocal(flags: LocalFlags, io: CliIo): Promise<void> {
  const port = Number(flags.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw usage(`${flags.port} is no port.`, 'Give a number from 0 to 65535.');
  await checkGit();
  const place = openThrowaway('ccd-local-', process, () => undefined);
  try {
    const dataDir = flags.data === undefined ? place.dir : resolve(io.cwd, flags.data);
    const github = await listenOn(dataDir, port);
    try {
      await serveUntilTold(github, place, flags, io);
    } finally {
      await github.close();
    }
  } finally {
    place.remove();
  }
}

async function serveUntilTold(
  github: LocalGitHub,
  place: Throwaway,
  flags: LocalFlags,
  io: CliIo,
): Promise<void> {
  const actions = createActions(github);
  try {
    const maintainer = createUser(github.store, 'maintainer');
    const token = createUserToken(github.store, maintainer);
    if (flags.repo !== undefined) {
      await importRepository(github.store, resolve(io.cwd, flags.repo), {
        owner: maintainer,
        name: 'project',
      });
    }
    const answer = { url: github.url, api: `${github.url}/api/v3`, token };
    io.stdout(flags.json ? `${JSON.stringify(answer)}\n` : `${answer.api}\ntoken of maintainer: ${token}\n`);
    await place.nextSignal();
  } finally {
    await actions.close();
  }
}

async function listenOn(dataDir: string, port: number): Promise<LocalGitHub> {
  return start({ dataDir, port }).catch((error: NodeJS.ErrnoException) => {
    const code = error.code;
    if (code === 'EADDRINUSE')
      throw fault('local.port-in-use', `Port ${port} is in use.`, 'Give another one with --port.');
    if (code === 'EACCES' && error.syscall === 'listen')
      throw fault('local.port-in-use', `Port ${port} may not be used.`, 'Give one from 1024 on with --port.');
    throw error;
  });
}

function fault(code: string, message: string, remedy: string): CcdError {
  return new CcdError({ code, message, remedy, audience: 'operator' });
}
