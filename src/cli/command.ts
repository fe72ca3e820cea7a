import type { Command } from 'commander';

/**
 * 0 done, 1 the thing judged failed, 2 usage or configuration, 64 budget, 65 circuit breaker, 70 internal error or a full disk,
 * 128 + the number of a signal: ended by it.
 */
export type ExitCode = 0 | 1 | 2 | 64 | 65 | 70 | 129 | 130 | 143;

/** All that a command may touch of the process it runs in. */
export interface CliIo {
  /** The document of the command; with `--json` exactly one. */
  stdout(text: string): void;
  /** Progress, warnings and errors. */
  stderr(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** True when a person watches standard error. */
  readonly isTty: boolean;
  setExit(code: ExitCode): void;
}

/** One command of `ccd`: its name and how it hangs itself under the program. */
export interface CliCommand {
  readonly name: string;
  register(program: Command, io: CliIo): void;
}
