import { Command, CommanderError } from 'commander';
import { CcdError } from '../domain/errors.ts';
import type { CliCommand, CliIo, ExitCode } from './command.ts';

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
    .configureOutput({ writeOut: (text) => io.stdout(text), writeErr: (text) => io.stderr(text) })
    .showHelpAfterError('(run with --help for usage)');
  for (const command of commands) command.register(program, io);
  for (const command of program.commands) {
    command
      .exitOverride()
      .configureOutput({ writeOut: (text) => io.stdout(text), writeErr: (text) => io.stderr(text) });
  }
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    io.setExit(reportFault(error, argv.includes('--json'), io));
  }
}

function reportFault(error: unknown, json: boolean, io: CliIo): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const fault = describeFault(error);
  if (json)
    io.stdout(
      `${JSON.stringify({ error: { code: fault.code, message: fault.message, remedy: fault.remedy } })}\n`,
    );
  io.stderr(`ccd: ${fault.message} ${fault.remedy}\n`);
  if (fault.exit === 70 && error instanceof Error && error.stack !== undefined) io.stderr(`${error.stack}\n`);
  return fault.exit;
}

interface Fault {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  readonly exit: ExitCode;
}

/** Exit code 2 for what the user or the operator can mend; 70 for our own bugs and for a host that fails mid-write. */
function describeFault(error: unknown): Fault {
  if (error instanceof CcdError) {
    const exit: ExitCode = error.audience === 'bug' || error.code === 'host.disk-full' ? 70 : 2;
    return { code: error.code, message: error.message, remedy: error.remedy, exit };
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'bug.unexpected';
  if (code === 'ENOSPC') {
    return {
      code: 'host.disk-full',
      message: 'The disk is full.',
      remedy: 'Free some space and run it again.',
      exit: 70,
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code, message: `Unexpected fault: ${message}`, remedy: 'Please report it.', exit: 70 };
}
