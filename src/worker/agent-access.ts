import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { childEnvironment, type Environment } from '../host/environment.ts';
import type { BoundAttempt } from './bound-attempt.ts';
import { cacheEnvironment } from './claude/agent-environment.ts';

/** What any child of this attempt may write and read besides the read-only system. */
export function childAccess(
  attempt: BoundAttempt,
  workFolder: string,
): { writable: string[]; readable: string[] } {
  const { folders, job } = attempt;
  return {
    writable: [workFolder, folders.home, folders.temporary, ...job.writable],
    readable: [
      folders.config,
      dirname(realpathSync(job.program)),
      ...toolFolders(job.environment),
      ...job.readable,
    ],
  };
}

/** The environment of set-up and checks: no key of any kind, not even the gateway's. */
export function commandEnvironment(attempt: BoundAttempt, extra: Environment = {}): Environment {
  const { folders, job } = attempt;
  return childEnvironment(job.environment, {
    ...cacheEnvironment(folders.home),
    HOME: folders.home,
    TMPDIR: folders.temporary,
    CI: 'true',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    ...job.agentEnvironment,
    ...extra,
  });
}

/** Tool chains that lie below the temporary folder, which a sandbox replaces by an empty one. */
function toolFolders(environment: Readonly<Record<string, string | undefined>>): string[] {
  const places = [...(environment.PATH ?? '').split(':'), dirname(process.execPath)];
  const temporary = [tmpdir(), '/tmp'];
  return places
    .filter((place) => temporary.some((folder) => place.startsWith(`${folder}/`)))
    .map((place) => (temporary.includes(dirname(place)) ? place : dirname(place)));
}
