import type { FileChange } from '../../model/change.ts';
import { targetFile } from '../../model/context-paths.ts';
import { argumentsOf, chainOf, isCall, stringValue } from '../../parse/call-chain.ts';
import { findAll, type ParsedFile, type SyntaxNode, textOf, walk } from '../../parse/syntax.ts';
import type { Item } from '../items/item.ts';
import { innerItems, unitsOf } from '../items/item.ts';
import type { Draft, Judged } from '../judged.ts';
import { exitSignals } from '../signals/exits.ts';
import { patchSignals } from '../signals/patches.ts';
import { assertionsIn } from './assertions.ts';
import { helperNames } from './helper-names.ts';
import { bodyMutes, headMutes } from './mutes.ts';
import { isNamedUnit } from './unit-name.ts';

/** What a rule about one test file needs at hand. */
export interface TestFile {
  readonly judged: Judged;
  readonly path: string;
  readonly head: ParsedFile;
}

export function draftAt(path: string, word: string, node: SyntaxNode | null, reason: string): Draft {
  return {
    rule: 'R2',
    class: word,
    file: path,
    line: node?.line ?? null,
    reason,
    remedy:
      'Leave what tests check as it is and add whole new tests; a person lists tests that may change under expect_changes.',
    subject: `${reason} ${node?.line ?? ''}`,
  };
}

/** Whether an item, or a unit inside it, is a target of the task. */
export function isTarget({ judged, path }: TestFile, item: Item): boolean {
  return isNamedUnit(judged.spec.targetTests, path, item.containers, item.name);
}

/** What is wrong with code that the change adds to its tests, item by item. */
export function addedItemFindings(file: TestFile, item: Item): Draft[] {
  const { head, path } = file;
  const found = headMutes(head, item).map((mute) =>
    draftAt(path, mute.class, mute.node, `The added ${item.kind} "${item.name}" is muted.`),
  );
  if (item.kind === 'container')
    return [...found, ...innerItems(head, item).flatMap((inner) => addedItemFindings(file, inner))];
  if (item.kind === 'test') return [...found, ...addedTestFindings(file, item)];
  if (/^(declaration|hook|other)$/.test(item.kind)) {
    const mutes =
      item.kind === 'declaration' && head.language !== 'python'
        ? []
        : bodyMutes(head, item.node).filter((mute) => mute.class !== 'early-exit-in-test');
    found.push(
      ...mutes.map((mute) => draftAt(path, mute.class, mute.node, 'Added code skips or repeats tests.')),
    );
  }
  return found;
}

function addedTestFindings(file: TestFile, item: Item): Draft[] {
  const { head, path } = file;
  const { body } = item;
  if (body === null) {
    return item.kind === 'test' &&
      /^(javascript|typescript|tsx|ruby|php)$/.test(head.language) &&
      !hasCallback(item)
      ? [draftAt(path, 'body-emptied', item.node, `The added test "${item.name}" has no body.`)]
      : [];
  }
  const found = bodyMutes(head, body).map((mute) =>
    draftAt(path, mute.class, mute.node, `The added test "${item.name}" leaves before it checks.`),
  );
  return [...found, ...assertionFindings(file, item, body), ...chanceFindings(file, item, body)];
}

/** A test may be given a function by name. */
function hasCallback(item: Item): boolean {
  const call = findAll(item.node, isCall)[0];
  return (
    call !== undefined &&
    argumentsOf(call).length >= 2 &&
    !argumentsOf(call)
      .slice(1)
      .every((each) => each.type === 'object')
  );
}

function assertionFindings(file: TestFile, item: Item, body: SyntaxNode): Draft[] {
  const { head, path, judged } = file;
  if (head.language === 'go' && !/^Test/.test(item.name)) return [];
  let all = assertionsIn(head, body, new Set());
  if (!all.some((each) => each.kept === null && each.strength === 'compares'))
    all = assertionsIn(head, body, helperNames(judged, path));
  const say = (word: string, node: SyntaxNode, what: string) => [
    draftAt(path, word, node, `The added test "${item.name}" ${what}.`),
  ];
  const bad = all.find((each) => each.kept === 'swallowed' || each.kept === 'not-awaited');
  if (bad?.kept === 'swallowed') return say('assertion-swallowed', bad.node, 'catches its own failure');
  if (bad?.kept === 'not-awaited')
    return say('assertion-not-awaited', bad.node, 'does not wait for its assertion');
  if (expectsFailure(head, item, body)) return [];
  if (all.length === 0) return say('assertion-deleted', item.node, 'asserts nothing');
  const reached = all.filter((each) => each.kept === null);
  if (reached.length === 0)
    return say('assertion-never-reached', all[0]?.node ?? item.node, 'may end without asserting anything');
  if (reached.every((each) => each.strength === 'tautology'))
    return say('tautology', reached[0]?.node ?? item.node, 'asserts what cannot fail');
  const compares = reached.some((each) => each.strength === 'compares');
  if (!compares && reached.some((each) => each.strength === 'self-oracle'))
    return say('self-oracle', reached[0]?.node ?? item.node, 'compares the code with itself');
  if (!compares && isTarget(file, item))
    return say('presence-oracle', reached[0]?.node ?? item.node, 'only asserts that something is there');
  return [];
}

/** The failure that the test is about stands in its head: an attribute or annotation. */
function expectsFailure(head: ParsedFile, item: Item, body: SyntaxNode): boolean {
  return item.parts.some((part) =>
    /should_panic|expectedException|ExpectedException|\bexpected\s*=/.test(
      head.text.slice(part.start, Math.min(part.end, body.start)),
    ),
  );
}

/** Randomness decides what is tested, or the clock does. */
function chanceFindings({ head, path }: TestFile, item: Item, body: SyntaxNode): Draft[] {
  const seeded = /\bseed\b|Random\(\s*\d|NewSource\(\s*\d|seedrandom|mt_srand\(\s*\d/i.test(head.text);
  const hit = [...walk(body)].find((node) => {
    if (!isCall(node)) return false;
    const chain = chainOf(head, node).join('.');
    if (
      /^(Math\.random|crypto\.(randomInt|randomBytes|getRandomValues|randomUUID)|secrets\.\w+|os\.urandom|SecureRandom\.\w+)$/.test(
        chain,
      )
    )
      return true;
    if (
      !seeded &&
      /^(random\.\w+|rand\.\w+|rand|mt_rand|random_int|array_rand|shuffle|SecureRandom\.\w+|Random\.\w+|Random\.Shared\.\w+|ThreadLocalRandom\.\w+\.\w+)$/.test(
        chain,
      )
    )
      return true;
    const clock =
      /^(Date\.now|time\.time|time\.time_ns|time\.Now|Time\.now|System\.(currentTimeMillis|nanoTime)|microtime|DateTime\.now|performance\.now|datetime\.now)/.test(
        chain,
      );
    return (
      clock && node.parent !== null && /%/.test(textOf(head, node.parent).replace(textOf(head, node), ''))
    );
  });
  if (hit === undefined) return [];
  return [draftAt(path, 'nondeterministic-target', hit, `The added test "${item.name}" depends on chance.`)];
}

/** Signals over a whole test file: what the head has and the base had not. */
export function addedSignalFindings(file: TestFile, base: ParsedFile | null): Draft[] {
  const { head, path } = file;
  const known = new Set(
    base === null ? [] : [...patchSignals(base), ...exitSignals(base, path)].map((each) => each.key),
  );
  const patches = [...patchSignals(head), ...exitSignals(head, path)]
    .filter((signal) => !known.has(signal.key))
    .map((signal) => draftAt(path, signal.class, signal.node, `Added test code ${signal.what}.`));
  const knownMocks = new Set(base === null ? [] : mocks(base).map((node) => textOf(base, node)));
  const mocked = mocks(head)
    .filter((node) => !knownMocks.has(textOf(head, node)) && replacesSubject(file, node))
    .map((node) =>
      draftAt(path, 'unit-under-test-mocked', node, 'Added test code replaces the code that it is about.'),
    );
  return [...patches, ...mocked];
}

function mocks(file: ParsedFile): SyntaxNode[] {
  return findAll(
    file.root,
    (node) =>
      isCall(node) &&
      /^((jest|vi|vitest)\.(mock|doMock|unstable_mockModule|setMock)|mock\.module|t\.mock\.module|(\w+\.)*patch(\.object|\.dict|\.multiple)?|(monkeypatch|mocker|mp)\.(setattr|patch|setitem)(\.object)?|proxyquire|td\.replace\w*|rewiremock|mockery\.registerMock|allow|stub_const|allow_any_instance_of)$/.test(
        chainOf(file, node).join('.'),
      ),
  );
}

/** Whether a mock names a module of the repository that is under test: changed by the change, or all that the file imports. */
function replacesSubject(file: TestFile, mock: SyntaxNode): boolean {
  const { judged, head, path } = file;
  const [first] = argumentsOf(mock);
  if (first === undefined) return false;
  const name = stringValue(head, first) ?? chainOf(head, first).join('.');
  const resolved = resolveModule(judged, path, name);
  if (resolved.length === 0) return false;
  const changed = judged.change.changes
    .filter((each: FileChange) => judged.roleOf(each.path) === 'production')
    .map((each) => each.path);
  if (changed.length === 0) return true;
  if (resolved.some((each) => changed.includes(each))) return true;
  return judged.spec.targetTests.map(targetFile).includes(path) && unitsOf(head).length === 1;
}

/** Production files that a module name may mean, seen from a file. */
function resolveModule(judged: Judged, from: string, name: string): string[] {
  const entries = judged.change.head.entries;
  if (name.startsWith('.')) {
    const parts = from.split('/').slice(0, -1);
    for (const part of name.split('/')) {
      if (part === '..') parts.pop();
      else if (part !== '.') parts.push(part);
    }
    const stem = parts.join('/').replace(/\.(m|c)?js$/, '');
    return ['', '.js', '.ts', '.tsx', '.jsx', '.mjs', '.cjs', '.mts', '/index.js', '/index.ts']
      .map((end) => stem + end)
      .filter((path) => entries.has(path) && judged.testRoleOf(path) === null);
  }
  const dotted = name.split('.');
  return dotted
    .map((_, index) => dotted.slice(0, index + 1).join('/'))
    .flatMap((stem) => [`${stem}.py`, `${stem}/__init__.py`, `src/${stem}.py`, `src/${stem}/__init__.py`])
    .filter((path) => entries.has(path) && judged.testRoleOf(path) === null);
}
