import { childByField, findAll, type ParsedFile, textOf } from '../../parse/syntax.ts';
import type { Judged } from '../judged.ts';
import { assertionsIn } from './assertions.ts';

const maxFiles = 150;

/**
 * Names of functions in test code that assert something. Looked for in the file itself, in changed test files and in
 * unchanged ones near it; a helper that calls a helper counts.
 */
export function helperNames(judged: Judged, path: string): ReadonlySet<string> {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const changed = judged.change.changes.filter((each) => judged.testRoleOf(each.path) === 'test');
  const near = [...judged.change.context].filter(
    ([other]) =>
      judged.testRoleOf(other) === 'test' &&
      (other.startsWith(folder) || /help|util|support|common|assert|shared|base/i.test(other)),
  );
  const files = [
    ...changed.flatMap((each) => judged.parse(each.path, each.head) ?? []),
    ...near.slice(0, maxFiles).flatMap(([other, side]) => judged.parse(other, side) ?? []),
  ];
  const own = judged.change.changes.find((each) => each.path === path);
  const self = own === undefined ? null : judged.parse(path, own.head);
  const names = new Set<string>();
  for (let round = 0; round < 3; round++)
    for (const file of self === null ? files : [self, ...files]) addHelpers(file, names);
  return names;
}

function addHelpers(file: ParsedFile, names: Set<string>): void {
  for (const node of findAll(
    file.root,
    (each) => /function|method|func/.test(each.type) || each.type === 'variable_declarator',
  )) {
    const name = childByField(node, 'name');
    const value = node.type === 'variable_declarator' ? childByField(node, 'value') : node;
    if (name === null || value === null || !/function|method|func/.test(value.type)) continue;
    const text = textOf(file, name);
    if (names.has(text) || !/^[\w$]+[?!]?$/.test(text)) continue;
    const body = childByField(value, 'body');
    if (
      body !== null &&
      assertionsIn(file, body, names).some((each) => each.kept === null && each.strength !== 'tautology')
    )
      names.add(text);
  }
}
