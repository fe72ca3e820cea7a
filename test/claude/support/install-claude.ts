import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The version whose behaviour is recorded in fixtures/transcripts, unless another one is to be tried. */
export const claudeVersion = process.env.CCD_TEST_CLAUDE_VERSION ?? '2.1.197';

const cache = join(import.meta.dirname, '../../../.cache');

/**
 * The real CLI's own executable, installed from npm into the cache folder when it is not there yet. No install script runs:
 * the platform package holds a binary that needs none. Rejects when it cannot be installed.
 */
export async function installClaude(): Promise<string> {
  const folder = join(cache, `claude-${claudeVersion}`);
  const program = join(folder, 'node_modules/@anthropic-ai', `claude-code-${platform()}`, 'claude');
  if (!existsSync(program)) await install(folder);
  const { stdout } = await promisify(execFile)(program, ['--version'], { timeout: 120_000 });
  if (!stdout.startsWith(claudeVersion)) throw new Error(`expected ${claudeVersion}, found ${stdout}`);
  return program;
}

function platform(): string {
  return `${process.platform}-${process.arch}`;
}

/** Into a folder aside first, so that an install that breaks off is never taken for a whole one. */
async function install(folder: string): Promise<void> {
  const draft = `${folder}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--prefix', draft];
  await promisify(execFile)('npm', ['install', ...options, `@anthropic-ai/claude-code@${claudeVersion}`], {
    timeout: 300_000,
  });
  await rm(folder, { recursive: true, force: true });
  await rename(draft, folder);
}
