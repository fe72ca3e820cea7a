import { stringValue } from '../../parse/call-chain.ts';
import { isComment, type ParsedFile, walk } from '../../parse/syntax.ts';
import type { Judged } from '../judged.ts';
import { type Signal, signal } from './signal.ts';

/** Code that names a file or folder of tests: to learn the answers, or to change them. */
export function testAssetSignals(file: ParsedFile, judged: Judged, folders: ReadonlySet<string>): Signal[] {
  const readsFiles =
    /\b(open|read|readFile\w*|write\w*|fs|Path|File|io|ioutil|os|include|require|import|fopen|file_get_contents|URL|glob|Dir|Directory)\b/.test(
      file.text,
    );
  const found: Signal[] = [];
  for (const node of walk(file.root)) {
    if (isComment(node) || node.parent?.type === 'expression_statement') continue;
    const value = /string|template/.test(node.type) ? stringValue(file, node) : null;
    if (value === null || value === '' || value.length > 300) continue;
    const named = isTestPath(judged, value) || (readsFiles && folders.has(value.replace(/^\.?\/|\/$/g, '')));
    if (named)
      found.push(
        signal(file, 'reads-test-assets', node, `names the test path ${JSON.stringify(value.slice(0, 80))}`),
      );
  }
  return found;
}

/** Names of folders of the base that hold tests. */
export function testFolderNames(judged: Judged): ReadonlySet<string> {
  const names = new Set<string>();
  for (const path of judged.change.base.entries.keys()) {
    if (judged.testRoleOf(path) === null) continue;
    for (const part of path.split('/').slice(0, -1))
      if (judged.testRoleOf(`${part}/x.js`) !== null || /test|spec|fixture|golden|snap/i.test(part))
        names.add(part);
  }
  return names;
}

/** A relative path that leads to a test, as far as its text tells. */
function isTestPath(judged: Judged, value: string): boolean {
  if (!/[/\\]/.test(value) || /\s|^[a-z]+:\/\/|^@|[<>{}*]/.test(value)) return false;
  const parts = value
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.' && part !== '..');
  if (parts.length < 2) return false;
  const known = [...judged.change.base.entries.keys()].some(
    (path) => path.endsWith(parts.join('/')) && judged.testRoleOf(path) !== null,
  );
  return known || (/\.\w+$/.test(value) && judged.testRoleOf(parts.join('/')) !== null);
}
