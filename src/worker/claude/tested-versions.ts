import { statSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../host/environment.ts';
import type { Sandbox } from '../../host/sandbox.ts';

/** Versions of the CLI that this worker was tried with, and how. Any other may behave otherwise without saying so. */
export const testedVersions: readonly { readonly version: string; readonly tested: string }[] = [
  {
    version: '2.1.197',
    tested: 'all of test/claude; the recorded endings in fixtures/transcripts',
  },
  { version: '2.1.332', tested: 'all of test/claude, by CCD_TEST_CLAUDE_VERSION' },
];

/** Whether the worker was tried with this version; what is no version at all was not. */
export function isTestedVersion(version: string | null): boolean {
  return testedVersions.some((tested) => tested.version === version);
}

export interface VersionPlace {
  /** A work folder in which nothing is at stake. */
  readonly folder: string;
  /** A folder of the parent's for what is printed. */
  readonly outputFolder: string;
  readonly env: Environment;
  readonly readable: readonly string[];
}

/** One question for one file: a program does not change its version without changing. */
const known = new Map<string, string | null>();

/**
 * What the agent's executable says about its version, asked in the sandbox and without a model; null when it says nothing that
 * looks like one. Asked once for each state of the file.
 */
export async function agentVersion(
  sandbox: Sandbox,
  program: string,
  place: VersionPlace,
): Promise<string | null> {
  const { ino, size, mtimeMs } = statSync(program);
  const key = [program, ino, size, mtimeMs].join(':');
  const before = known.get(key);
  if (before !== undefined) return before;
  const stdoutFile = join(place.outputFolder, 'agent-version.out');
  await rm(stdoutFile, { force: true });
  const exit = await sandbox.run([program, '--version'], {
    cwd: place.folder,
    env: place.env,
    stdoutFile,
    stderrFile: join(place.outputFolder, 'agent-version.err'),
    writable: [place.folder],
    readable: place.readable,
    network: false,
    timeoutMs: 30_000,
  });
  const text = await readFile(stdoutFile, 'utf8');
  const version = exit.exitCode === 0 ? (/^\d+\.\d+\.\d+\S*/.exec(text)?.[0] ?? null) : null;
  known.set(key, version);
  return version;
}
