import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { TaskSpec } from '../domain/spec.ts';
import type { Environment } from '../host/environment.ts';
import type { Sandbox } from '../host/sandbox.ts';

export interface CheckRun {
  readonly command: string;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly durationMs: number;
}

export interface FailedCheck {
  readonly command: string;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** First and last part of what it printed. */
  readonly output: string;
}

export interface Verification {
  readonly checks: readonly CheckRun[];
  /** The first check that failed; those after it were not run. */
  readonly failed: FailedCheck | null;
}

export interface CheckPlace {
  readonly workFolder: string;
  /** A folder of the parent's for output files. */
  readonly outputFolder: string;
  readonly env: Environment;
  readonly writable: readonly string[];
  readonly readable: readonly string[];
  readonly timeoutMs: number;
  readonly network: boolean;
  readonly stop: AbortSignal;
}

/** The spec's own checks, or its test command when it names none. */
export function verificationCommands(spec: TaskSpec): readonly string[] {
  if (spec.verify.length > 0) return spec.verify;
  return spec.testCommand === null ? [] : [spec.testCommand];
}

/** Runs the commands one after the other in the sandbox, where the change's own code may run, until one fails. */
export async function verify(
  sandbox: Sandbox,
  commands: readonly string[],
  place: CheckPlace,
): Promise<Verification> {
  const checks: CheckRun[] = [];
  for (const [index, command] of commands.entries()) {
    const { check, failed } = await runCommand(sandbox, command, place, `check-${index + 1}`);
    checks.push(check);
    if (failed !== null) return { checks, failed };
  }
  return { checks, failed: null };
}

/** Runs one shell command in the sandbox; `label` names its output files. */
export async function runCommand(
  sandbox: Sandbox,
  command: string,
  place: CheckPlace,
  label: string,
): Promise<{ check: CheckRun; failed: FailedCheck | null }> {
  const stdoutFile = join(place.outputFolder, `${label}.out`);
  const stderrFile = join(place.outputFolder, `${label}.err`);
  const exit = await sandbox.run(['/bin/sh', '-c', command], {
    cwd: place.workFolder,
    env: place.env,
    stdoutFile,
    stderrFile,
    writable: place.writable,
    readable: place.readable,
    network: place.network,
    timeoutMs: place.timeoutMs,
    signal: place.stop,
  });
  const { exitCode, timedOut, durationMs } = exit;
  const check = { command, exitCode, timedOut, durationMs };
  if (exitCode === 0 && !timedOut && !exit.aborted) return { check, failed: null };
  const output = [await headAndTail(stdoutFile), await headAndTail(stderrFile)].filter((text) => text !== '');
  return {
    check,
    failed: {
      command,
      exitCode,
      timedOut,
      output: output.join('\n--- stderr ---\n'),
    },
  };
}

const partBytes = 4096;

/** First and last 4 KiB of a file, with a line that tells how much was left out. */
export async function headAndTail(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const part = async (from: number, length: number) => {
      const buffer = Buffer.alloc(length);
      const { bytesRead } = await file.read(buffer, 0, length, from);
      return buffer.subarray(0, bytesRead).toString('utf8');
    };
    if (size <= 2 * partBytes) return (await part(0, size)).trim();
    const left = size - 2 * partBytes;
    return `${await part(0, partBytes)}\n[… ${left} bytes left out …]\n${await part(size - partBytes, partBytes)}`.trim();
  } finally {
    await file.close();
  }
}
