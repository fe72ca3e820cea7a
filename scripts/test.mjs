// `npm test`: builds what is missing, then unit, contract and scenario tests. Ends with one plain line of counts.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ensureBuilt, root } from './ensure-built.mjs';

ensureBuilt();
const folder = mkdtempSync(join(tmpdir(), 'ccd-test-'));
const report = join(folder, 'report.json');
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const wanted =
  process.argv.length > 2
    ? process.argv.slice(2)
    : ['unit', 'intercepted', 'behaviour', 'processes', 'scenario', 'browser'];
// A fresh machine need not have a browser; what is left out is said at the end, and CI installs one.
const browsers = ['chromium', 'chromium-browser', 'google-chrome'];
const path = (process.env.PATH ?? '').split(delimiter);
const hasBrowser = path.some((dir) => browsers.some((name) => existsSync(join(dir, name))));
const leftOut = wanted.includes('browser') && (!hasBrowser || process.env.CCD_NO_BROWSER === '1');
const projects = wanted.filter((name) => name !== 'browser' || !leftOut);
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
if (leftOut)
  process.stdout.write('left out: the pages in a real browser; there is no Chromium, or CCD_NO_BROWSER=1\n');
process.exit(counts === null || counts.passed === 0 ? 1 : (run.status ?? 1));
