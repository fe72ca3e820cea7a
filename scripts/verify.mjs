// `npm run verify`: everything that CI checks except the demo and the real CLI.
import { spawnSync } from 'node:child_process';

const steps = [
  ['format and lint', ['npx', 'biome', 'ci', '--diagnostic-level=error', '.']],
  ['types', ['npx', 'tsc', '-p', 'tsconfig.json', '--noEmit']],
  ['arrows', ['node', 'scripts/check-arrows.mjs']],
  ['dead code', ['npx', 'knip', '--no-progress']],
  ['bundle is fresh', ['node', 'scripts/build.mjs', '--check']],
];
for (const [name, [program, ...args]] of steps) {
  const startedAt = Date.now();
  const run = spawnSync(program, args, { stdio: 'inherit' });
  process.stdout.write(
    `${name}: ${run.status === 0 ? 'ok' : 'FAILED'} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)\n`,
  );
  if (run.status !== 0) process.exit(run.status ?? 1);
}
