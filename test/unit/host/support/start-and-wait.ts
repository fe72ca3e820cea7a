// Starts a sandbox that writes to a file for ever, waits until it does, and kills itself: node --import tsx … <way> <own> <work> <mark>
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isolators } from '../../../../src/host/isolation.ts';
import { createSandbox } from '../../../../src/host/sandbox.ts';

const [way = '', own = '', work = '', mark = ''] = process.argv.slice(2);
const candidates = isolators.filter(({ name, closesNetwork }) => name === way && closesNetwork);
const sandbox = await createSandbox({ minimum: 'sandbox', ephemeral: false, ownFolder: own, candidates });
sandbox.start(['/bin/sh', '-c', `while :; do echo x >> ${mark}; sleep 0.05; done`], {
  cwd: work,
  env: { PATH: process.env.PATH ?? '' },
  stdoutFile: join(own, `kill-${way}.out`),
  stderrFile: join(own, `kill-${way}.err`),
  writable: [work],
  network: false,
});
while (!existsSync(mark)) await new Promise((done) => setTimeout(done, 20));
process.stdout.write('started\n', () => process.kill(process.pid, 'SIGKILL'));
