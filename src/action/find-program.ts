import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { CcdError } from '../domain/errors.ts';

/**
 * The absolute path of an executable, given as a path or as a name to look for on the PATH. Throws CcdError
 * `worker.agent-missing` (operator).
 */
export function findProgram(program: string, path: string): string {
  const candidates = program.includes('/')
    ? [isAbsolute(program) ? program : join(process.cwd(), program)]
    : path
        .split(':')
        .filter(isAbsolute)
        .map((folder) => join(folder, program));
  const found = candidates.find(isExecutable);
  if (found !== undefined) return realpathSync(found);
  throw new CcdError({
    code: 'worker.agent-missing',
    message: `The agent ${JSON.stringify(program)} is not on this runner.`,
    remedy: 'Install Claude Code on the runner, or set the repository variable CCD_CLAUDE to its path.',
    audience: 'operator',
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
