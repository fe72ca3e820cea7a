// Runs a shell command in a sandbox and prints what it printed: node --import tsx … <way> <own> <work> <command>
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isolators } from '../../../../src/host/isolation.ts';
import { createSandbox } from '../../../../src/host/sandbox.ts';

const [way = '', own = '', work = '', command = ''] = process.argv.slice(2);
const candidates = isolators.filter(({ name, closesNetwork }) => name === way && closesNetwork);
const sandbox = await createSandbox({ minimum: 'sandbox', ephemeral: false, ownFolder: own, candidates });
const stdoutFile = join(own, 'show.out');
await sandbox.run(['/bin/sh', '-c', command], {
  cwd: work,
  env: { PATH: process.env.PATH ?? '' },
  stdoutFile,
  stderrFile: join(own, 'show.err'),
  writable: [work],
  network: false,
  timeoutMs: 20_000,
});
process.stdout.write(readFileSync(stdoutFile, 'utf8'));
