import { signature } from '../../parse/signature.ts';
import { type ParsedFile, type SyntaxNode, textOf, walk } from '../../parse/syntax.ts';
import { type Item, innerItems } from '../items/item.ts';
import type { Draft, Judged } from '../judged.ts';
import { addedItemFindings, draftAt, type TestFile } from './added-code.ts';
import { assertionsIn } from './assertions.ts';
import { importsMore, importsUnseen } from './import-growth.ts';
import { bodyMutes, headMutes } from './mutes.ts';
import { addsRowsOnly } from './table-rows.ts';
import { isNamedUnit } from './unit-name.ts';

/** Both sides of one test file, and every name that the base's side uses. */
export interface TestFilePair extends TestFile {
  readonly judged: Judged;
  readonly base: ParsedFile;
  readonly used: ReadonlySet<string>;
}

export function namesUsed(file: ParsedFile): ReadonlySet<string> {
  const names = new Set<string>();
  for (const node of walk(file.root)) {
    if (node.children.length === 0 && /identifier|name|constant|^variable/.test(node.type))
      names.add(textOf(file, node).replace(/^\$/, ''));
  }
  return names;
}

/**
 * R2 on one level of a file: every item of the base stands on the head as it was (containers: with their own items kept
 * the same way; tables: with rows added; imports: with names added), and what else stands there is a whole new item.
 */
export function compareItems(pair: TestFilePair, before: readonly Item[], after: readonly Item[]): Draft[] {
  const left = [...after];
  const missing: Item[] = [];
  const found: Draft[] = [];
  const bySignature = indexBySignature(pair.head, left);
  for (const item of before) {
    const same = bySignature.get(itemSignature(pair.base, item))?.shift();
    if (same === undefined) missing.push(item);
    else left.splice(left.indexOf(same), 1);
  }
  for (const item of missing) {
    const match = left.find((each) => isGrown(pair, item, each));
    if (match !== undefined) left.splice(left.indexOf(match), 1);
    if (match === undefined) found.push(...changedItem(pair, item, left));
    else if (item.kind === 'container')
      found.push(...compareItems(pair, innerItems(pair.base, item), innerItems(pair.head, match)));
    else if (item.kind === 'import')
      found.push(
        ...newNames(
          pair,
          match,
          match.bound.filter((name) => !item.bound.includes(name)),
        ),
      );
  }
  return [...found, ...outOfOrder(pair, before, after), ...left.flatMap((item) => insertedItem(pair, item))];
}

function indexBySignature(file: ParsedFile, items: readonly Item[]): Map<string, Item[]> {
  const index = new Map<string, Item[]>();
  for (const item of items) {
    const key = itemSignature(file, item);
    const known = index.get(key);
    if (known === undefined) index.set(key, [item]);
    else known.push(item);
  }
  return index;
}

function itemSignature(file: ParsedFile, item: Item): string {
  return item.parts.map((part) => signature(file, part)).join('\n');
}

function headSignature(file: ParsedFile, item: Item): string {
  return item.parts.map((part) => signature(file, part, item.body)).join('\n');
}

function isGrown({ base, head }: TestFilePair, old: Item, now: Item): boolean {
  if (old.kind !== now.kind) return false;
  if (old.kind === 'container')
    return old.body !== null && now.body !== null && headSignature(base, old) === headSignature(head, now);
  if (old.kind === 'import') return importsMore(base, old, head, now);
  if (old.parts.length !== now.parts.length && head.language !== 'rust') return false;
  return rowsAdded(base, old, head, now);
}

function rowsAdded(base: ParsedFile, old: Item, head: ParsedFile, now: Item): boolean {
  if (old.parts.length === now.parts.length)
    return old.parts.every((part, index) => addsRowsOnly(base, part, head, now.parts[index] as SyntaxNode));
  const rows = (file: ParsedFile, item: Item) =>
    item.parts
      .filter((part) => /^#\[(case|test_case)\b/.test(textOf(file, part)))
      .map((part) => signature(file, part));
  const rest = (file: ParsedFile, item: Item) =>
    item.parts
      .filter((part) => !/^#\[(case|test_case)\b/.test(textOf(file, part)))
      .map((part) => signature(file, part))
      .join('\n');
  return (
    rest(base, old) === rest(head, now) &&
    rows(base, old).length > 0 &&
    rows(base, old).every((row) => rows(head, now).includes(row))
  );
}

/** Statements that run when the file loads keep their order; where units stand does not matter. */
function outOfOrder(pair: TestFilePair, before: readonly Item[], after: readonly Item[]): Draft[] {
  const runs = (file: ParsedFile, items: readonly Item[]) =>
    items
      .filter((item) => /^(other|hook|import|declaration)$/.test(item.kind))
      .map((item) => itemSignature(file, item));
  const old = runs(pair.base, before);
  const now = runs(pair.head, after);
  const kept = old.filter((each) => now.includes(each));
  const order = now.filter((each) => old.includes(each));
  if (
    kept.join('\u{1}') === order.join('\u{1}') ||
    new Set(kept).size !== kept.length ||
    kept.length !== order.length
  )
    return [];
  return [draftAt(pair.path, 'setup-changed', null, 'Statements that set tests up change their order.')];
}

/** A base item that the head does not have as it was. */
function changedItem(pair: TestFilePair, item: Item, left: Item[]): Draft[] {
  const now =
    left.find((each) => each.kind === item.kind && each.name === item.name && each.name !== '') ??
    left.find((each) => sameTitle(item, each));
  if (isExpected(pair, item)) {
    if (now === undefined) return [];
    left.splice(left.indexOf(now), 1);
    return addedItemFindings(pair, now);
  }
  if (item.kind === 'container' && now?.kind === 'container' && now.body !== null && item.body !== null) {
    left.splice(left.indexOf(now), 1);
    const mute = headMutes(pair.head, now)[0];
    return [
      draftAt(
        pair.path,
        mute?.class ?? 'container-changed',
        mute?.node ?? now.node,
        `The head of "${item.name}" changes.`,
      ),
      ...compareItems(pair, innerItems(pair.base, item), innerItems(pair.head, now)),
    ];
  }
  if (now !== undefined) left.splice(left.indexOf(now), 1);
  return [describeChange(pair, item, now)];
}

function sameTitle(item: Item, other: Item): boolean {
  return item.kind === 'test' && item.name !== '' && other.name === item.name;
}

function isExpected(pair: TestFilePair, item: Item): boolean {
  const { expectChanges } = pair.judged.spec;
  return (
    isNamedUnit(expectChanges, pair.path, item.containers, item.name) ||
    (item.kind !== 'test' &&
      item.kind !== 'container' &&
      expectChanges.includes(`${pair.path}::${item.name}`))
  );
}

function describeChange(pair: TestFilePair, item: Item, now: Item | undefined): Draft {
  const what =
    item.kind === 'test'
      ? `test "${item.name}"`
      : item.kind === 'container'
        ? `suite "${item.name}"`
        : item.name === ''
          ? 'code beside the tests'
          : `"${item.name}"`;
  if (now === undefined) {
    const elsewhere = pair.head.text.includes(textOf(pair.base, item.node));
    const word = elsewhere
      ? inComment(pair, item)
        ? 'commented-out'
        : 'compiled-out'
      : item.kind === 'test'
        ? 'test-case-deleted'
        : 'test-code-changed';
    return draftAt(
      pair.path,
      word,
      null,
      `The ${what} of the base (line ${item.node.line}) is gone${elsewhere ? ' from where it runs' : ''}.`,
    );
  }
  const mute =
    headMutes(pair.head, now)[0] ?? (now.body === null ? undefined : bodyMutes(pair.head, now.body)[0]);
  const node = mute?.node ?? now.node;
  return draftAt(
    pair.path,
    mute?.class ?? changeClass(pair, item, now),
    node,
    `The ${what} of the base is changed.`,
  );
}

function inComment(pair: TestFilePair, item: Item): boolean {
  const at = pair.head.text.indexOf(textOf(pair.base, item.node));
  for (const node of walk(pair.head.root)) {
    if (node.start <= at && node.end > at && /comment|string/.test(node.type)) return true;
  }
  return false;
}

function changeClass(pair: TestFilePair, item: Item, now: Item): string {
  if (item.kind !== 'test') return item.kind === 'declaration' ? 'helper-neutered' : 'setup-changed';
  const count = (file: ParsedFile, each: Item) =>
    each.body === null ? 0 : assertionsIn(file, each.body, new Set()).length;
  const [old, left] = [count(pair.base, item), count(pair.head, now)];
  if (left === 0 && old > 0)
    return now.body === null || now.body.children.filter((child) => child.named).length === 0
      ? 'body-emptied'
      : 'assertion-deleted';
  return left < old ? 'assertion-deleted' : 'expected-value-edited';
}

/** An item that only the head has. */
function insertedItem(pair: TestFilePair, item: Item): Draft[] {
  const { path } = pair;
  if (item.kind === 'other' || item.kind === 'hook') {
    const mute = bodyMutes(pair.head, item.node).find((each) => each.class !== 'early-exit-in-test');
    const suite = /^(TestMain|pytestmark|collect_ignore)/.test(item.name);
    const word = mute?.class ?? (suite ? 'suite-level-mute' : 'setup-changed');
    return [
      draftAt(
        path,
        word,
        mute?.node ?? item.node,
        'Code is added that runs around tests which were there before.',
      ),
    ];
  }
  if (importsUnseen(pair.head, item))
    return [
      draftAt(
        path,
        'setup-changed',
        item.node,
        'An import is added whose effects on older tests cannot be told.',
      ),
    ];
  return [
    ...newNames(pair, item, item.bound),
    ...(item.kind === 'import' ? [] : addedItemFindings(pair, item)),
  ];
}

/** New names must not stand for anything that the base's tests mention. */
function newNames(pair: TestFilePair, item: Item, bound: readonly string[]): Draft[] {
  const taken = bound.find((name) => pair.used.has(name));
  if (taken === undefined) return [];
  return [
    draftAt(
      pair.path,
      'shadowed-by-redefinition',
      item.node,
      `"${taken}" is given a second meaning beside the tests that use it.`,
    ),
  ];
}
