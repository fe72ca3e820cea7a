// `npm test`: builds what is missing, then unit, contract and scenario tests. Ends with one plain line of counts.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt, root } from './ensure-built.mjs';

ensureBuilt();
const folder = mkdtempSync(join(tmpdir(), 'ccd-test-'));
const report = join(folder, 'report.json');
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const wanted =
  process.argv.length > 2
    ? process.argv.slice(2)
    : ['unit', 'intercepted', 'behaviour', 'processes', 'scenario', 'browser'];
// A machine without a browser has to say so: left out quietly, nobody would miss it.
const projects = wanted.filter((name) => name !== 'browser' || process.env.CCD_NO_BROWSER !== '1');
const args = [
  'run',
  ...projects.flatMap((name) => ['--project', name]),
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
];
const run = spawnSync(process.execPath, [vitest, ...args], { cwd: root, stdio: 'inherit' });
let counts = null;
try {
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'));
  counts = { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests };
} catch (error) {
  process.stderr.write(`ccd: the test report cannot be read: ${error.message}\n`);
}
rmSync(folder, { recursive: true, force: true });
if (counts !== null)
  process.stdout.write(
    `tests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`,
  );
process.exit(counts === null || counts.passed === 0 ? 1 : (run.status ?? 1));
