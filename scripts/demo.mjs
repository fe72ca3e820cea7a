// `npm run demo`: the whole main job on the embedded local GitHub.
import { spawn } from 'node:child_process';
import { cli, ensureBuilt } from './ensure-built.mjs';

ensureBuilt();
const child = spawn(process.execPath, [cli, 'demo', ...process.argv.slice(2)], {
  stdio: 'inherit',
  cwd: process.env.INIT_CWD ?? process.cwd(),
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
