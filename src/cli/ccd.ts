import { Command, CommanderError } from 'commander';
import type { CliCommand, CliIo, ExitCode } from './command.ts';
import { describeFault } from './fault.ts';

/**
 * Runs one command line. Faults become one clear sentence on standard error and an exit code; with `--json` the
 * fault is also the one document on standard output: `{error: {code, message, remedy}}`.
 */
export async function runCcd(
  argv: readonly string[],
  commands: readonly CliCommand[],
  io: CliIo,
  version: string,
): Promise<void> {
  const program = new Command('ccd')
    .description('Labelled issues become proven, landed commits.')
    .version(version)
    .exitOverride()
    .configureOutput(outputOf(io));
  for (const command of commands) command.register(program, io);
  for (const command of program.commands) command.exitOverride().configureOutput(outputOf(io));
  try {
    refuseUnknown(argv, commands);
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    io.setExit(reportFault(error, argv.includes('--json'), io));
  }
}

/** Commander shows the general help where `--help` follows a command that there is none of, as if all were well. */
function refuseUnknown(argv: readonly string[], commands: readonly CliCommand[]): void {
  const [first = ''] = argv;
  if (first === '' || first === 'help' || first.startsWith('-')) return;
  if (!commands.some(({ name }) => name === first))
    throw new CommanderError(1, 'commander.unknownCommand', `error: unknown command '${first}'`);
}

/** Commander writes help; what it says of a fault is written with all others. */
function outputOf(io: CliIo) {
  return {
    writeOut: (text: string) => io.stdout(text),
    writeErr: (text: string) => io.stderr(text),
    outputError: () => undefined,
  };
}

/** A standard output that cannot be written any more must not hide the fault, nor its exit code. */
function reportFault(error: unknown, json: boolean, io: CliIo): ExitCode {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const { code, message, remedy, exit } = describeFault(error);
  if (json) writeDocument({ error: { code, message, remedy } }, io);
  io.stderr(`ccd: ${message} ${remedy}\n`);
  const isOurs = exit === 70 && code !== 'host.disk-full';
  if (isOurs && error instanceof Error && error.stack !== undefined) io.stderr(`${error.stack}\n`);
  return exit;
}

function writeDocument(document: unknown, io: CliIo): void {
  try {
    io.stdout(`${JSON.stringify(document)}\n`);
  } catch (error) {
    io.stderr(`ccd: standard output cannot be written: ${(error as Error).message}.\n`);
  }
}
