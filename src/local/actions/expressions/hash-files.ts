import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import picomatch from 'picomatch';
import type { ExpressionFunction } from './evaluate.ts';

function filesBelow(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith('.git/'))
    .sort();
}

/**
 * `hashFiles(pattern…)`: SHA-256 over the SHA-256 of each matching file below the workspace, in path order;
 * empty text when nothing matches. The runner's own definition, so only usable inside a job.
 */
export function hashFilesFunction(workspace: string): ExpressionFunction {
  return {
    name: 'hashFiles',
    minArgs: 1,
    maxArgs: 255,
    call: (...patterns) => {
      const wanted = patterns.map(String).filter((pattern) => !pattern.startsWith('!'));
      const ignore = patterns.map(String).filter((pattern) => pattern.startsWith('!'));
      const matches = picomatch(wanted, { dot: true, ignore: ignore.map((pattern) => pattern.slice(1)) });
      const paths = filesBelow(workspace).filter((path) => matches(path));
      if (paths.length === 0) return '';
      const total = createHash('sha256');
      for (const path of paths)
        total.update(
          createHash('sha256')
            .update(readFileSync(join(workspace, path)))
            .digest(),
        );
      return total.digest('hex');
    },
  };
}
