import type { TaskSpec } from '../../domain/spec.ts';
import type { Policy } from '../../policy/policy.ts';
import { testRole } from '../roles.ts';
import type { TreeSide } from './change.ts';

const maxFiles = 3000;

/**
 * Unchanged files of the head that the static rules look at: tests and their data, those of the target tests first, then
 * by path. Pass it to the change reader as `selectContext`.
 */
export function contextPaths(spec: TaskSpec, policy: Policy) {
  const targets = new Set(spec.targetTests.map(targetFile));
  const folders = [...targets].map((path) => path.slice(0, path.lastIndexOf('/') + 1));
  const near = (path: string): number =>
    targets.has(path) ? 0 : folders.some((folder) => path.startsWith(folder)) ? 1 : 2;
  return (head: TreeSide, changed: ReadonlySet<string>): string[] =>
    [...head.entries.keys()]
      .filter((path) => !changed.has(path) && (targets.has(path) || testRole(path, policy) !== null))
      .sort((left, right) => near(left) - near(right) || (left < right ? -1 : 1))
      .slice(0, maxFiles);
}

/** File of a target test, written `path::name`. */
export function targetFile(target: string): string {
  const at = target.indexOf('::');
  return at < 0 ? target : target.slice(0, at);
}
