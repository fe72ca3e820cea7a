// `npm run -s ccd -- <command> …`: the command line from a checkout.
import { spawn } from 'node:child_process';
import { cli, ensureBuilt } from './ensure-built.mjs';

ensureBuilt();
// npm changes the working directory: paths on the command line are meant from where the person stands.
const cwd = process.env.INIT_CWD ?? process.cwd();
const child = spawn(process.execPath, [cli, ...process.argv.slice(2)], { stdio: 'inherit', cwd });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
