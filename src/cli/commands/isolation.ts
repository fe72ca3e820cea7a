import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Isolation } from '../../domain/contract.ts';
import { isolationSchema } from '../../domain/contract.ts';
import { CcdError } from '../../domain/errors.ts';
import { removeTree } from '../../host/remove-tree.ts';
import { createSandbox, type Enforced, type Sandbox } from '../../host/sandbox.ts';
import { type FencePlace, type FenceResult, fencePlace, tryFence } from '../../host/try-fence.ts';
import { loadPolicy } from '../../policy/load-policy.ts';
import { agentVersion, isTestedVersion, testedVersions } from '../../worker/claude/tested-versions.ts';
import type { CliCommand, CliIo } from '../command.ts';
import { usage } from '../usage.ts';

interface Options {
  readonly json?: boolean;
  readonly policy?: string;
  readonly minimum?: Isolation;
  readonly ephemeral?: boolean;
  readonly agent?: string;
}

/** What was found of the agent's executable. */
interface Agent {
  readonly program: string;
  readonly version: string | null;
  readonly tested: boolean;
}

interface Found {
  readonly enforced: Enforced;
  /** The weakest level that policy takes, and whether all that it demands is closed. */
  readonly demanded: Isolation;
  readonly right: boolean;
  readonly lines: readonly (FenceResult & { readonly demanded: boolean })[];
  readonly agent: Agent | null;
}

const rank: Record<Isolation, number> = { none: 0, 'pid-namespace': 1, sandbox: 2 };

/**
 * `ccd isolation`: tries the sandbox of this machine from inside and tells what is really closed. Exit 0 everything that
 * policy demands is closed, 1 something of it is open, 2 there is no isolation that policy takes.
 */
export const isolationCommand: CliCommand = {
  name: 'isolation',
  register: (program: Command, io: CliIo) => {
    program
      .command('isolation')
      .description('Try from inside the sandbox what an agent could get at on this machine.')
      .option(
        '--policy <file>',
        'policy whose agent.isolation is demanded (default: .github/ccd.yml where it is, else all defaults)',
      )
      .addOption(
        new Option('--minimum <level>', 'demand this level instead').choices(isolationSchema.options),
      )
      .option('--ephemeral', 'this machine is thrown away after each job')
      .option('--agent <executable>', "also tell whether the worker was tried with this agent's version")
      .option('--json', 'print one JSON document: {enforced, demanded, right, lines, agent}')
      .addHelpText('after', '\nExample:\n  ccd isolation --minimum sandbox --agent claude\n')
      .action(async (options: Options) => {
        const found = await look(options, io);
        io.stdout(options.json === true ? `${JSON.stringify(found)}\n` : plainText(found));
        io.setExit(found.right ? 0 : 1);
      });
  },
};

async function look(options: Options, io: CliIo): Promise<Found> {
  const demanded = options.minimum ?? (await policyLevel(options.policy, io));
  const place = fencePlace();
  try {
    return await lookIn(place, demanded, options, io);
  } finally {
    await removeTree(place.folder);
  }
}

async function lookIn(place: FencePlace, demanded: Isolation, options: Options, io: CliIo): Promise<Found> {
  const sandbox = await createSandbox({
    minimum: demanded,
    ephemeral: options.ephemeral === true,
    ownFolder: place.own,
    hidden: [place.hidden],
  });
  const agent = options.agent === undefined ? null : await lookAtAgent(sandbox, place, options.agent, io);
  const lines = (await tryFence(sandbox, place)).map((line) => ({
    ...line,
    demanded: isDemanded(line, demanded),
  }));
  const shut = lines.every(({ demanded: must, state }) => !must || state !== 'open');
  const gateway = lines.some(({ id, state }) => id === 'gateway' && state === 'open');
  return { enforced: sandbox.enforced, demanded, right: shut && gateway, lines, agent };
}

/** Policy's level is a promise: all that belongs to it, or to a weaker one, has to be closed. */
function isDemanded({ closedFrom }: FenceResult, level: Isolation): boolean {
  return closedFrom !== null && rank[closedFrom] <= rank[level];
}

async function policyLevel(file: string | undefined, io: CliIo): Promise<Isolation> {
  const path = resolve(io.cwd, file ?? '.github/ccd.yml');
  if (file === undefined && !existsSync(path)) return defaultLevel(null);
  try {
    return defaultLevel(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof CcdError) throw error;
    throw usage(
      `The policy ${path} cannot be read.`,
      'Name a file that is there, or leave --policy out.',
      error,
    );
  }
}

function defaultLevel(text: string | null): Isolation {
  const loaded = loadPolicy(text);
  if (loaded.kind === 'valid') return loaded.policy.agent.isolation;
  const [first] = loaded.problems;
  throw usage(
    `The policy cannot be used: ${first?.field}: ${first?.message}`,
    'Correct it, or give --minimum.',
  );
}

async function lookAtAgent(sandbox: Sandbox, place: FencePlace, name: string, io: CliIo): Promise<Agent> {
  const program = findProgram(name, io);
  const version = await agentVersion(sandbox, program, {
    folder: place.work,
    outputFolder: place.hidden,
    env: { PATH: io.env.PATH ?? '', HOME: place.work, DISABLE_AUTOUPDATER: '1' },
    readable: [dirname(realpathSync(program))],
  });
  return { program, version, tested: isTestedVersion(version) };
}

function findProgram(name: string, io: CliIo): string {
  try {
    const path = name.includes('/')
      ? resolve(io.cwd, name)
      : execFileSync('/bin/sh', ['-c', 'command -v -- "$1"', 'sh', name], {
          encoding: 'utf8',
          env: { PATH: io.env.PATH },
        }).trim();
    return realpathSync(path);
  } catch (error) {
    throw usage(`There is no program ${JSON.stringify(name)}.`, 'Give the path of the executable.', error);
  }
}

function plainText({ enforced, demanded, right, lines, agent }: Found): string {
  const width = Math.max(...lines.map(({ id }) => id.length));
  const table = lines.map(({ id, what, state, demanded: must }) => {
    const mark = must && state === 'open' ? '  <- has to be closed' : '';
    return `  ${id.padEnd(width)}  ${state.padEnd(7)}  ${what}${mark}\n`;
  });
  return [
    `level ${enforced.isolation}: ${enforced.detail}\n`,
    ...enforced.gaps.map((gap) => `open here: ${gap}\n`),
    '\n',
    ...table,
    '\n',
    agent === null ? '' : agentLine(agent),
    `policy takes ${demanded} and stronger: ${right ? 'everything that it demands is closed' : 'NOT everything that it demands is as it has to be'}\n`,
  ].join('');
}

function agentLine({ program, version, tested }: Agent): string {
  const known = testedVersions.map((one) => one.version).join(', ');
  const verdict = tested ? 'tried with this worker' : `NOT tried with this worker, which knows ${known}`;
  return `agent ${program}: ${version ?? 'no version'}, ${verdict}\n`;
}
