import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { CcdError } from '../../domain/errors.ts';
import { checkGit } from '../../git/check-git.ts';
import { writeFileAtomic } from '../../host/files.ts';
import { createActions, type LocalActions } from '../../local/actions/actions.ts';
import type { EngineEvents } from '../../local/actions/runs/engine-events.ts';
import { mountPages } from '../../local/pages/mount-pages.ts';
import { type SeenRequest, watchRequests } from '../../local/pages/watch-requests.ts';
import { type KeptGitHub, openKept } from '../../local/saved/open-kept.ts';
import { createUser, createUserToken, importRepository } from '../../local/seed.ts';
import { start } from '../../local/server.ts';
import type { Store } from '../../local/store.ts';
import type { CliCommand, CliIo } from '../command.ts';
import { type FaultFlags, playFaults, readFaultOrders } from '../local/fault-orders.ts';
import { openThrowaway } from '../throwaway.ts';
import { usage } from '../usage.ts';

interface LocalFlags extends FaultFlags {
  readonly repo?: string;
  readonly port: string;
  readonly data?: string;
  readonly runner?: boolean;
  readonly json?: boolean;
}

const PERSON = 'maintainer';
const PROJECT = 'project';

/** `ccd local`: the local GitHub by itself, for trying things with a browser, Octokit, curl and git. */
export const localCommand: CliCommand = {
  name: 'local',
  register: (program: Command, io: CliIo) => {
    program
      .command('local')
      .description('Serve the local GitHub, with pages for a browser, on a loopback port until Ctrl-C.')
      .option('--repo <dir>', `a git repository to import as ${PERSON}/${PROJECT}`)
      .option('--port <n>', 'the port; 0 takes any', '0')
      .option(
        '--data <dir>',
        'a folder that keeps everything, to be opened again; nothing is kept unless given',
      )
      .option(
        '--runner',
        'run the jobs of workflows here, as real processes of this machine; none runs unless given',
      )
      .option('--faults <plan>', 'a JSON file: how it is to misbehave, by a seed')
      .option('--record <file>', 'where each fault that strikes is noted')
      .option('--replay <file>', 'a record: exactly these faults strike again')
      .option('--json', 'print addresses and token as one JSON document')
      .addHelpText(
        'after',
        '\nExamples:\n  ccd local --repo . --port 4000\n  ccd local --repo . --data ../kept     # once, then any time: ccd local --data ../kept\n',
      )
      .action((flags: LocalFlags) => runLocal(flags, io));
  },
};

async function runLocal(flags: LocalFlags, io: CliIo): Promise<void> {
  const port = Number(flags.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw usage(`${flags.port} is no port.`, 'Give a number from 0 to 65535.');
  const orders = await readFaultOrders(flags, io);
  await checkGit();
  const place = openThrowaway('ccd-local-', process, () => undefined);
  try {
    const kept = await openOn(port, place.dir, flags, io);
    try {
      await present(kept, flags, io);
      tellOfWaitingJobs(kept.actions, io);
      if (flags.runner) kept.actions.startRunner();
      const { store, deliveries } = kept.github;
      const play = orders && playFaults(orders, { store, deliveries, runners: kept.actions }, io);
      await place.nextSignal();
      play?.stop();
    } finally {
      await kept.close();
    }
  } finally {
    place.remove();
  }
}

/** Opens what `--data` keeps, or one that goes with the command. */
async function openOn(port: number, throwaway: string, flags: LocalFlags, io: CliIo): Promise<KeptGitHub> {
  try {
    if (flags.data === undefined) return await openPassing(throwaway, port);
    return await openKept({ dataDir: resolve(io.cwd, flags.data), port }, (error) =>
      io.stderr(
        `ccd: the state could not be saved (${(error as Error).message}); it is tried again in a while.\n`,
      ),
    );
  } catch (error) {
    throw portFault(port, error);
  }
}

async function openPassing(dataDir: string, port: number): Promise<KeptGitHub> {
  const github = await start({ dataDir, port });
  const actions = createActions(github);
  const close = () => actions.close().then(() => github.close());
  return { github, actions, reopened: false, warnings: [], save: async () => undefined, close };
}

/** A job that no runner takes waits for ever, as on GitHub: a person is told why nothing happens. */
function tellOfWaitingJobs({ engine }: LocalActions, io: CliIo): void {
  const tell = ({ job, action }: EngineEvents['job']): void => {
    if (action !== 'queued' || [...engine.takers].some((taker) => taker.serves(job))) return;
    const { owner, name } = job.run.repo;
    const remedy =
      engine.takers.size === 0 ? 'No runner is here; --runner starts one.' : 'No runner here has them.';
    io.stderr(
      `ccd: the job ${job.name} of ${owner.login}/${name} waits for a runner with ${job.labels.join(', ')}. ${remedy}\n`,
    );
  };
  engine.events.on('job', tell);
  for (const job of engine.open.flatMap((run) => run.jobs))
    if (job.status === 'queued') tell({ job, action: 'queued' });
}

async function present(kept: KeptGitHub, flags: LocalFlags, io: CliIo): Promise<void> {
  const { github, actions } = kept;
  for (const warning of kept.warnings) io.stderr(`ccd: ${warning}\n`);
  const token = await maintainersToken(github.store, flags, io);
  if (flags.repo !== undefined) await importOnce(github.store, resolve(io.cwd, flags.repo), io);
  await kept.save();
  mountPages(github, actions);
  watchRequests(github, (request) => io.stderr(requestLine(request, io.isTty)));
  const answer = { url: github.url, api: `${github.url}/api/v3`, token };
  io.stdout(
    flags.json
      ? `${JSON.stringify(answer)}\n`
      : `pages: ${answer.url}\napi: ${answer.api}\ntoken of ${PERSON}: ${token}\n`,
  );
}

/** The same token at every opening of a kept state: its records hold only the digest, a file beside them the token itself. */
async function maintainersToken(store: Store, flags: LocalFlags, io: CliIo): Promise<string> {
  const user = store.userByLogin(PERSON) ?? createUser(store, PERSON);
  if (flags.data === undefined) return createUserToken(store, user);
  const path = join(resolve(io.cwd, flags.data), 'token');
  const known = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const grant = store.grantOf(known.trim());
  if (grant?.kind === 'user' && grant.user === user) return known.trim();
  const token = createUserToken(store, user);
  await writeFileAtomic(path, `${token}\n`);
  return token;
}

async function importOnce(store: Store, source: string, io: CliIo): Promise<void> {
  if (store.repoByName(PERSON, PROJECT) !== undefined) {
    io.stderr(`ccd: ${PERSON}/${PROJECT} is kept already; --repo was not read again.\n`);
    return;
  }
  const owner = store.userByLogin(PERSON)!;
  await importRepository(store, source, { owner, name: PROJECT }).catch((error: unknown) => {
    if (!(error instanceof CcdError) || error.code !== 'local.git-failed') throw error;
    throw fault(
      'local.git-failed',
      `${source} is no git repository, or cannot be read.`,
      'Name one with --repo.',
      error,
    );
  });
}

/** `GET /maintainer/project 200 12 ms`; with colour for a person. */
function requestLine({ method, path, status, milliseconds }: SeenRequest, isTty: boolean): string {
  const word = status === 0 ? 'broke off' : String(status);
  if (!isTty) return `${method} ${path} ${word} ${milliseconds} ms\n`;
  const colour = status === 0 || status >= 500 ? 31 : status >= 400 ? 33 : 32;
  return `\u001b[${colour}m${word}\u001b[0m ${method.padEnd(5)} ${path} \u001b[2m${milliseconds} ms\u001b[0m\n`;
}

function portFault(port: number, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return fault('local.port-in-use', `Port ${port} is in use.`, 'Give another one with --port.', error);
  if (code === 'EACCES' && syscall === 'listen')
    return fault(
      'local.port-in-use',
      `Port ${port} may not be used.`,
      'Give one from 1024 on with --port.',
      error,
    );
  return error;
}

function fault(code: string, message: string, remedy: string, cause: unknown): CcdError {
  return new CcdError({ code, message, remedy, audience: 'operator', cause });
}
