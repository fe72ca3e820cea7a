// Starts the built command line in the place of this process: same output, same signals, same exit code.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { cli, ensureBuilt } from './ensure-built.mjs';

/** Installs and builds first if needed. Does not return to its caller's caller: it ends the process. */
export function startCli(args) {
  ensureBuilt();
  // npm changes the working directory: paths on the command line are meant from where the person stands.
  const cwd = process.env.INIT_CWD ?? process.cwd();
  const child = spawn(process.execPath, [cli, ...args], { stdio: 'inherit', cwd });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`ccd: the command could not be started in ${cwd}: ${error.message}.\n`);
    process.exit(2);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}
