import type { FileChange } from '../model/change.ts';
import type { ParsedFile } from '../parse/syntax.ts';
import { allowedRenames, type Draft, type Judged } from './judged.ts';
import { insideItems, rustTestItems } from './rust-tests.ts';
import { chanceSignals } from './signals/chance.ts';
import { countChecks, readParameters } from './signals/checks.ts';
import { dynamicCodeSignals } from './signals/dynamic-code.ts';
import { equalitySignals, narrowedEquality } from './signals/equality.ts';
import { exitSignals } from './signals/exits.ts';
import { overlapSignals, targetLiterals } from './signals/literal-overlap.ts';
import { patchSignals } from './signals/patches.ts';
import type { Signal } from './signals/signal.ts';
import { suppressionSignals } from './signals/suppressions.ts';
import { swallowSignals } from './signals/swallowed-errors.ts';
import { testAssetSignals, testFolderNames } from './signals/test-assets.ts';
import { testDetectionSignals } from './signals/test-detection.ts';
import { literalsIn } from './tests/literals.ts';

interface Pair {
  readonly path: string;
  readonly base: ParsedFile | null;
  readonly head: ParsedFile | null;
}

/** R6: production code does not game tests. Each signal that the head has more often than the base is a finding. */
export function gamingRule(judged: Judged): Draft[] {
  const renames = allowedRenames(judged);
  const renamed = new Set([...renames.keys(), ...renames.values()]);
  const pairs = judged.change.changes
    .filter((each) => isJudged(judged, each) && !renamed.has(each.path))
    .map(({ path, base, head }) => ({
      path,
      base: judged.parse(path, base),
      head: judged.parse(path, head),
    }));
  const folders = testFolderNames(judged);
  const known = countKeys(
    pairs.flatMap(({ path, base }) => (base === null ? [] : signalsOf(judged, path, base, folders))),
  );
  const targets = targetLiterals(judged);
  return [
    ...pairs.flatMap((pair) => newSignals(judged, pair, known, folders)),
    ...pairs.flatMap((pair) => overlaps(judged, pair, targets)),
    ...pairs.flatMap((pair) => changedBehaviour(judged, pair)),
    ...removedChecks(judged, pairs),
  ];
}

/** Production code, and built or protected code that people could open: what is neither test nor documentation. */
function isJudged(judged: Judged, each: FileChange): boolean {
  const role = judged.roleOf(each.path);
  return role === 'production' || (role === 'manifest' && judged.testRoleOf(each.path) === null);
}

function signalsOf(judged: Judged, path: string, file: ParsedFile, folders: ReadonlySet<string>): Signal[] {
  const all = [
    ...testDetectionSignals(file),
    ...exitSignals(file, path),
    ...patchSignals(file),
    ...equalitySignals(file),
    ...swallowSignals(file),
    ...dynamicCodeSignals(file),
    ...suppressionSignals(file),
    ...testAssetSignals(file, judged, folders),
    ...(judged.spec.kind === 'fix' ? chanceSignals(file) : []),
  ];
  if (file.language !== 'rust') return all;
  const tests = rustTestItems(file);
  return all.filter((each) => !insideItems(tests, each.node));
}

function countKeys(signals: readonly Signal[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { key } of signals) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function newSignals(
  judged: Judged,
  { path, head }: Pair,
  known: Map<string, number>,
  folders: ReadonlySet<string>,
): Draft[] {
  if (head === null) return [];
  return signalsOf(judged, path, head, folders).flatMap((each) => {
    const left = known.get(each.key) ?? 0;
    if (left > 0) known.set(each.key, left - 1);
    return left > 0 ? [] : [draft(path, each)];
  });
}

function overlaps(judged: Judged, { path, base, head }: Pair, targets: ReadonlySet<string>): Draft[] {
  if (head === null || targets.size === 0) return [];
  const inTests = base?.language === 'rust' ? rustTestItems(base) : [];
  const old =
    base === null ? [] : literalsIn(base, base.root).filter(({ node }) => !insideItems(inTests, node));
  const known = new Set(old.map(({ key }) => key));
  const strict = judged.spec.kind !== 'feature';
  const tests = head.language === 'rust' ? rustTestItems(head) : [];
  return overlapSignals(head, targets, known, strict)
    .filter((each) => !insideItems(tests, each.node))
    .map((each) => draft(path, each));
}

function changedBehaviour(judged: Judged, { path, base, head }: Pair): Draft[] {
  if (base === null || head === null) return [];
  const narrowed = narrowedEquality(base, head).map((each) => draft(path, each));
  if (judged.spec.kind !== 'fix') return narrowed;
  const now = readParameters(head);
  const ignored = [...readParameters(base)].flatMap(([name, read]) => {
    const left = now.get(name);
    const lost =
      left === undefined
        ? undefined
        : [...read].find(
            (each) => !left.has(each) && new RegExp(`\\b${each.replace(/\W/g, '')}\\b`).test(head.text),
          );
    return lost === undefined
      ? []
      : [refuse(path, 'stub-constant', null, `${name} no longer reads its parameter ${lost}.`)];
  });
  return [...narrowed, ...ignored];
}

/** A fix does not take checks out: over all files there are as many as before. */
function removedChecks(judged: Judged, pairs: readonly Pair[]): Draft[] {
  if (judged.spec.kind !== 'fix') return [];
  const total = new Map<string, number>();
  for (const { base, head } of pairs) {
    if (head !== null)
      for (const [kind, count] of countChecks(head)) total.set(kind, (total.get(kind) ?? 0) + count);
    if (base !== null)
      for (const [kind, count] of countChecks(base)) total.set(kind, (total.get(kind) ?? 0) - count);
  }
  return [...total]
    .filter(([, count]) => count < 0)
    .map(([kind]) =>
      refuse(
        worst(pairs, kind),
        'check-removed',
        null,
        `Production code has fewer checks (${kind}) than before.`,
      ),
    );
}

function worst(pairs: readonly Pair[], kind: string): string | null {
  const loses = ({ base, head }: Pair) =>
    (base === null ? 0 : (countChecks(base).get(kind) ?? 0)) -
    (head === null ? 0 : (countChecks(head).get(kind) ?? 0));
  return pairs.find((pair) => loses(pair) > 0)?.path ?? null;
}

function draft(path: string, each: Signal): Draft {
  return { ...refuse(path, each.class, each.node.line, `Production code ${each.what}.`), subject: each.key };
}

function refuse(file: string | null, word: string, line: number | null, reason: string): Draft {
  return {
    rule: 'R6',
    class: word,
    file,
    line,
    reason,
    remedy:
      'Solve the task for all inputs, without regard to how it is tested; a person may waive this finding.',
    subject: reason,
  };
}
