import { escapeText } from '../model/escape-text.ts';
import { foreignModules } from './foreign-modules.ts';
import type { Draft, Judged } from './judged.ts';

/** R0: a new file that is found in place of a module of the language, of the runner, or of the repository itself. */
export function shadowingRule(judged: Judged): Draft[] {
  const known = [...judged.change.base.entries.keys()];
  const folders = new Set(known.flatMap(parentFolders));
  return judged.change.changes
    .filter(({ base, head }) => base === null && head !== null)
    .flatMap(({ path }) => {
      const what = foreign(judged, path) ?? sibling(path, judged.change.base.entries, folders);
      return what === null ? [] : [refuse(path, what)];
    });
}

function parentFolders(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** Name of the foreign module that is found at this path: at the root, in source roots, and beside tests. */
function foreign(judged: Judged, path: string): string | null {
  const parts = path.split('/');
  const name = (parts.pop() ?? '').toLowerCase();
  const framework =
    /(^|\/)(org\/(junit|testng|mockito|hamcrest|assertj|opentest4j)|junit\/framework|java\/(lang|util|io))\//;
  if (framework.test(path) && /\.(java|kt|class)$/.test(name)) return 'a framework package';
  const stem = name.replace(/\.[^.]+$/, '');
  const extension = name.slice(stem.length + 1);
  const language = { py: 'python', rb: 'ruby', js: 'node', mjs: 'node', cjs: 'node', ts: 'node' }[extension];
  if (language === undefined) return null;
  const roots =
    parts.length === 0 || (parts.length === 1 && /^(src|lib|test|tests|spec)$/.test(parts[0] ?? ''));
  const besideTests = judged.testRoleOf(path) !== null && language !== 'node';
  const packaged = /^(__init__|index|main)$/.test(stem);
  const module = packaged ? (parts.at(-1)?.toLowerCase() ?? '') : stem;
  const atRoot = packaged ? parts.length <= 2 : roots || besideTests;
  if (language === 'node' && parts.length > 0) return null;
  return atRoot && foreignModules[language as keyof typeof foreignModules].has(module)
    ? `the module ${module}`
    : null;
}

const resolvable = ['js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx', 'json', 'node'];

/** A module of the repository for which the new file would be taken: same stem, other extension; or a folder of its name. */
function sibling(
  path: string,
  base: ReadonlyMap<string, unknown>,
  folders: ReadonlySet<string>,
): string | null {
  const dot = path.lastIndexOf('.');
  const stem = path.slice(0, dot);
  const extension = path.slice(dot + 1);
  const asIndex = stem.replace(/\/(index|__init__)$/, '');
  if (resolvable.includes(extension)) {
    const stems = asIndex === stem ? [stem] : [stem, asIndex];
    for (const each of stems) {
      const twin = resolvable
        .map((other) => `${each}.${other}`)
        .find((other) => other !== path && base.has(other));
      if (twin !== undefined && !(extension === 'json' || twin.endsWith('.json'))) return `${twin}`;
    }
  }
  if (['py', 'so', 'pyd', 'pyi'].includes(extension)) {
    if (asIndex !== stem && base.has(`${asIndex}.py`)) return `${asIndex}.py`;
    if (extension === 'py' && folders.has(stem) && base.has(`${stem}/__init__.py`)) return `${stem}/`;
    if (extension !== 'py' && extension !== 'pyi' && base.has(`${stem}.py`)) return `${stem}.py`;
  }
  return null;
}

function refuse(file: string, what: string): Draft {
  return {
    rule: 'R0',
    class: 'module-shadowing',
    file,
    line: null,
    reason: `${escapeText(file)} would be found in place of ${escapeText(what)}.`,
    remedy: 'Give the file a name that no other module has.',
  };
}
