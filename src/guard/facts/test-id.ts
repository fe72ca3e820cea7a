import { fileTestName } from './reports/executed-test.ts';
import { tapPath } from './reports/tap.ts';

/** `path::name` taken apart; a text without `::` names a whole file. */
export interface TestId {
  readonly path: string;
  readonly name: string | null;
}

/** Takes an id apart at its first `::`: paths hold none, names may. */
export function parseTestId(id: string): TestId {
  const at = id.indexOf('::');
  return at === -1 ? { path: id, name: null } : { path: id.slice(0, at), name: id.slice(at + 2) };
}

/** True for the pseudo test that stands for loading a file. */
export function isFileTest(id: string): boolean {
  return parseTestId(id).name === fileTestName;
}

/**
 * Whether an executed test is what a spec names: the same path, and the same name however its nested parts are joined
 * (` > `, `::`, `#`, or a blank as jest does). A name also stands for the tests nested in it and for its parameters.
 * Reports without paths are matched by name alone.
 */
export function matchesTest(id: string, wanted: string): boolean {
  const test = parseTestId(id);
  const target = parseTestId(wanted);
  if (test.path !== target.path && test.path !== tapPath) return false;
  if (target.name === null) return true;
  const have = nested(withoutCount(test.name ?? ''));
  const want = nested(target.name);
  return flat(have) === flat(want) || have.startsWith(`${want} > `) || have.startsWith(`${want}[`);
}

/** Whether one of the wanted names is this test. */
export function matchesAny(id: string, wanted: readonly string[]): boolean {
  return wanted.some((name) => matchesTest(id, name));
}

function nested(name: string): string {
  return name
    .replace(/\s*(?:>|::|#)\s*/g, ' > ')
    .replace(/\s+/g, ' ')
    .trim();
}

function flat(name: string): string {
  return name.replaceAll(' > ', ' ');
}

function withoutCount(name: string): string {
  return name.replace(/ \(\d+\)$/, '');
}
