import { CommanderError } from 'commander';
import { CcdError } from '../domain/errors.ts';
import { isDiskFull } from '../host/files.ts';
import type { ExitCode } from './command.ts';

/** A fault as the command line reports it. */
export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  readonly exit: ExitCode;
}

/** What the system says when a path that a person named, or one below it, cannot be used as wanted. */
const pathFaults: Readonly<Record<string, string>> = {
  EACCES: 'there is no right to',
  EPERM: 'there is no right to',
  EROFS: 'the disk is read-only',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'it is a folder',
  EEXIST: 'something else stands there',
  ENOENT: 'it is not there',
  ENAMETOOLONG: 'the name is too long',
};

/** Exit code 2 for what the user or the operator can mend; 70 for our own bugs and for a full disk. */
export function describeFault(error: unknown): Fault {
  if (error instanceof CommanderError)
    return {
      code: 'cli.usage',
      message: error.code === 'commander.help' ? 'No command was named.' : sentence(error.message),
      remedy: 'Run with --help for usage.',
      exit: 2,
    };
  if (hasFilledDisk(error)) {
    const said = error instanceof CcdError && error.code === 'host.disk-full' ? error : null;
    return {
      code: 'host.disk-full',
      message: said?.message ?? 'The disk is full.',
      remedy: said?.remedy ?? 'Free some space and run it again; nothing half-written was left.',
      exit: 70,
    };
  }
  if (error instanceof CcdError) {
    const exit = exits[error.code] ?? (error.audience === 'bug' ? 70 : 2);
    return { code: error.code, message: error.message, remedy: error.remedy, exit };
  }
  return systemFault(error);
}

/** What was played did not come to its end: neither usage nor a bug. */
const exits: Readonly<Record<string, ExitCode>> = { 'demo.timeout': 1, 'demo.died': 1 };

function systemFault(error: unknown): Fault {
  const { code, path } = error as NodeJS.ErrnoException;
  const why = pathFaults[code ?? ''];
  if (why !== undefined && path !== undefined)
    return {
      code: 'cli.path',
      message: `${path} cannot be used: ${why}.`,
      remedy: 'Name another path, or mend this one.',
      exit: 2,
    };
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: code ?? 'bug.unexpected',
    message: `Unexpected fault: ${message}`,
    remedy: 'Please report it.',
    exit: 70,
  };
}

/** A full disk shows as an error of the system or in the words of a program, here or in what this error came of. */
function hasFilledDisk(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1) {
    if (isDiskFull(at)) return true;
    const { stderr } = at as { stderr?: unknown };
    if (saysDiskFull(at.message) || (typeof stderr === 'string' && saysDiskFull(stderr))) return true;
  }
  return error instanceof CcdError && error.code === 'host.disk-full';
}

function saysDiskFull(text: string): boolean {
  return /No space left on device|Disk quota exceeded|\bENOSPC\b|\bEDQUOT\b/.test(text);
}

/** Commander's own words: "error: unknown option '--x'". */
function sentence(text: string): string {
  const plain = text.replace(/^error: /, '').replace(/\s+/g, ' ');
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}${/[.?)]$/.test(plain) ? '' : '.'}`;
}
