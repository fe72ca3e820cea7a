import type { FileChange } from '../model/change.ts';
import { targetFile } from '../model/context-paths.ts';
import { escapeText } from '../model/escape-text.ts';
import { languageOf } from '../parse/languages.ts';
import type { ParsedFile } from '../parse/syntax.ts';
import { type Item, innerItems, rootItems, unitsOf } from './items/item.ts';
import { allowedRenames, type Draft, type Judged } from './judged.ts';
import { isRustTest } from './rust-tests.ts';
import { addedItemFindings, addedSignalFindings, draftAt } from './tests/added-code.ts';
import { compareItems, namesUsed } from './tests/compare-items.ts';
import { dataFileFault } from './tests/data-file.ts';

/** R2: tests and their data only grow, by whole units, and what is added is neither muted nor empty of checks. */
export function testsGrowRule(judged: Judged): Draft[] {
  const renames = allowedRenames(judged);
  const renamed = new Set([...renames.keys(), ...renames.values()]);
  const named = new Set([...judged.spec.targetTests, ...judged.spec.expectChanges].map(targetFile));
  return judged.change.changes.flatMap((each) => {
    if (renamed.has(each.path) && judged.testRoleOf(each.path) === null) return [];
    const role =
      judged.testRoleOf(each.path) ??
      (named.has(each.path) && languageOf(each.path) !== 'rust' ? 'test' : null);
    if (role === 'test-data' || (role === 'test' && languageOf(each.path) === null)) return judgeData(each);
    if (role === 'test') return judgeTests(judged, each);
    return judgeTestsInside(judged, each);
  });
}

function judgeData(each: FileChange): Draft[] {
  const fault = dataFileFault(each);
  const word = /\.snap$/.test(each.path)
    ? 'snapshot-regenerated'
    : each.head === null
      ? 'fixture-pruned'
      : 'golden-edited';
  return fault === null ? [] : [draftAt(each.path, word, null, `${escapeText(each.path)} ${fault}.`)];
}

function judgeTests(judged: Judged, each: FileChange): Draft[] {
  const { path, base, head } = each;
  if (base !== null && head === null)
    return [
      draftAt(
        path,
        movedTo(judged, each) ? 'rename' : 'test-file-deleted',
        null,
        `${escapeText(path)} is removed.`,
      ),
    ];
  if (base !== null && head?.mode !== base.mode)
    return [draftAt(path, 'mode', null, `${escapeText(path)} is no longer the same kind of file.`)];
  const old = judged.parse(path, base);
  const now = judged.parse(path, head);
  if (now === null || (base !== null && old === null) || now.errorLines.length > 0) {
    return base === null ? [] : judgeData(each).map((draft) => ({ ...draft, class: 'test-code-changed' }));
  }
  if (old !== null && old.errorLines.length > 0) return judgeData(each);
  const file = { judged, path, head: now };
  const signals = addedSignalFindings(file, old);
  if (old === null) return [...signals, ...newFile(judged, path, now)];
  return [
    ...signals,
    ...compareItems({ ...file, base: old, used: namesUsed(old) }, rootItems(old), rootItems(now)),
    ...reopened(judged, path, now, old),
  ];
}

function movedTo(judged: Judged, { base }: FileChange): boolean {
  return judged.change.changes.some(({ base: other, head }) => other === null && head?.oid === base?.oid);
}

function newFile(judged: Judged, path: string, now: ParsedFile): Draft[] {
  const file = { judged, path, head: now };
  return [
    ...rootItems(now).flatMap((item) => {
      const global = now.language === 'go' && item.kind === 'hook';
      if (global)
        return [
          draftAt(path, 'suite-level-mute', item.node, `${item.name} runs around all tests of the package.`),
        ];
      return addedItemFindings(file, item);
    }),
    ...reopened(judged, path, now, null),
  ];
}

/** Ruby lets a second file reopen a class: what it defines again replaces what an older file defined. */
function reopened(judged: Judged, path: string, now: ParsedFile, old: ParsedFile | null): Draft[] {
  if (now.language !== 'ruby') return [];
  const known = new Set(old === null ? [] : classMembers(old));
  const mine = classMembers(now).filter((each) => !known.has(each));
  const others = new Set(
    [...judged.change.context, ...judged.change.changes.map((each) => [each.path, each.base] as const)]
      .filter(([other]) => other !== path && judged.testRoleOf(other) === 'test')
      .flatMap(([other, side]) => classMembers(judged.parse(other, side))),
  );
  const twice = mine.find((each) => others.has(each));
  return twice === undefined
    ? []
    : [draftAt(path, 'shadowed-by-redefinition', null, `${twice} is defined a second time in another file.`)];
}

function classMembers(file: ParsedFile | null): string[] {
  if (file?.language !== 'ruby') return [];
  return rootItems(file)
    .filter((item) => item.kind === 'container' && item.bound.length > 0)
    .flatMap((item) => innerItems(file, item).map((inner) => `${item.name}#${inner.name}`));
}

/** Units inside production files: Rust's test modules, and files that import a test framework. */
function judgeTestsInside(judged: Judged, { path, base, head }: FileChange): Draft[] {
  const old = judged.parse(path, base);
  const now = judged.parse(path, head);
  if (old === null && now === null) return [];
  if (languageOf(path) === 'rust') return judgeRust(judged, path, old, now);
  const framework = old !== null && importsFramework(old) && unitsOf(old).length > 0;
  return framework ? judgeTests(judged, { path, base, head }) : [];
}

function importsFramework(file: ParsedFile): boolean {
  return /^\s*(import|from|const|let|var|use|using|require)\b.*\b(pytest|unittest|vitest|node:test|@jest\/globals|mocha|ava|tap|junit|testng|Xunit|NUnit|PHPUnit|minitest|rspec|test\/unit)\b/m.test(
    file.text,
  );
}

function judgeRust(judged: Judged, path: string, old: ParsedFile | null, now: ParsedFile | null): Draft[] {
  const before = old === null ? [] : rustUnits(old);
  if (now === null)
    return before.length === 0
      ? []
      : [draftAt(path, 'test-file-deleted', null, `${escapeText(path)} and its tests are removed.`)];
  const after = rustUnits(now);
  const file = { judged, path, head: now };
  const examples = old === null ? [] : lostExamples(path, old.text, now.text);
  if (old === null) return after.flatMap((item) => addedItemFindings(file, item));
  const used = namesUsed(old);
  return [...examples, ...compareItems({ ...file, base: old, used }, before, after)];
}

function rustUnits(file: ParsedFile): Item[] {
  const visit = (items: readonly Item[]): Item[] =>
    items.flatMap((item) => {
      if (item.kind === 'test' || isRustTest(file, item.node)) return [item];
      return item.kind === 'container' ? visit(innerItems(file, item)) : [];
    });
  return visit(rootItems(file));
}

/** Examples in documentation comments of Rust are tests: each block of the base still stands. */
function lostExamples(path: string, old: string, now: string): Draft[] {
  const kept = new Set(examples(now));
  return examples(old).some((each) => !kept.has(each))
    ? [
        draftAt(
          path,
          'doctest-changed',
          null,
          'An example in the documentation, which runs as a test, changes or goes.',
        ),
      ]
    : [];
}

function examples(text: string): string[] {
  const comments = text
    .split('\n')
    .map((line) => /^\s*\/\/[/!]\s?(.*)$/.exec(line)?.[1] ?? '\u{0}')
    .join('\n');
  return [...comments.matchAll(/^\s*```([^\n]*)\n([\s\S]*?)^\s*```/gm)].map(
    (match) => `${match[1]?.trim()}\n${match[2]?.trim()}`,
  );
}
