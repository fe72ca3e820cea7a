import { isGuarded, matchesPattern } from './path-pattern.ts';
import { type ProtectedGroup, protectedGroups } from './protected-paths.ts';

interface Compiled {
  readonly group: ProtectedGroup;
  readonly globs: readonly string[];
  readonly names: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
}

const compiled: readonly Compiled[] = protectedGroups.map((group) => ({
  group,
  names: new Set(group.patterns.filter((pattern) => /^[^/*?]+$/.test(pattern))),
  folders: new Set(
    group.patterns.filter((pattern) => /^[^/*?]+\/$/.test(pattern)).map((pattern) => pattern.slice(0, -1)),
  ),
  globs: group.patterns.filter((pattern) => /[*?]/.test(pattern) || /\/./.test(pattern)),
}));

const own: ProtectedGroup = { class: 'guard-config-or-owners', allow: null, patterns: [] };

/** Folder names that mean built or foreign files only outside source folders. */
const outsideSources = new Set(['build', 'out', 'target', 'external', 'dist', 'vendor', 'generated']);
const sourceFolders = new Set(['src', 'lib', 'app', 'pkg', 'internal', 'cmd', 'source']);

/**
 * The group that protects a path, null when none does. `extra` are the policy's own patterns: hard. Letter case is ignored,
 * and so are file names that case-blind or short-name file systems take for another.
 */
export function protectionOf(path: string, extra: readonly string[]): ProtectedGroup | null {
  if (isGuarded(path, extra)) return own;
  const lower = path.toLowerCase();
  const parts = lower.split('/');
  const name = parts.at(-1) ?? '';
  const sources = parts.findIndex((part) => sourceFolders.has(part));
  const folders = parts
    .slice(0, -1)
    .filter((part, index) => !(outsideSources.has(part) && sources >= 0 && sources < index));
  for (const { group, names, folders: known, globs } of compiled) {
    if (names.has(name) || folders.some((folder) => known.has(folder)) || known.has(lower)) return group;
    if (globs.some((glob) => namesIt(glob, name, lower))) return group;
  }
  return null;
}

function namesIt(glob: string, name: string, path: string): boolean {
  if (!glob.includes('/')) return matchesPattern(name, glob);
  return matchesPattern(path, glob) || matchesPattern(path, `**/${glob}`);
}
