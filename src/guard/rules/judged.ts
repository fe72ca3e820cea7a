import type { TaskSpec } from '../../domain/spec.ts';
import type { Rule } from '../../domain/verdict.ts';
import type { Policy } from '../../policy/policy.ts';
import type { Change, FileChange, FileSide } from '../model/change.ts';
import { languageOf } from '../parse/languages.ts';
import type { ParsedFile, Parsers } from '../parse/syntax.ts';
import { type Role, roleOf, testRole } from '../roles.ts';

/** A finding before it is tied to its inputs. `subject` tells apart findings of one class in one file. */
export interface Draft {
  readonly rule: Rule;
  readonly class: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly reason: string;
  readonly remedy: string;
  readonly subject?: string;
}

/** Everything that a static rule may look at. Roles and trees are worked out once. */
export interface Judged {
  readonly change: Change;
  readonly spec: TaskSpec;
  readonly policy: Policy;
  roleOf(path: string): Role;
  /** The test role of a path, whether it is protected as well or not. */
  testRoleOf(path: string): 'test' | 'test-data' | null;
  /** The syntax tree of a file; null when there is no grammar, no text, or no tree to be had. */
  parse(path: string, side: FileSide | null): ParsedFile | null;
}

export type StaticRule = (judged: Judged) => Draft[];

export function judgedOf(change: Change, spec: TaskSpec, policy: Policy, parsers: Parsers): Judged {
  const roles = new Map<string, Role>();
  const testRoles = new Map<string, 'test' | 'test-data' | null>();
  const trees = new Map<string, ParsedFile | null>();
  return {
    change,
    spec,
    policy,
    roleOf: (path) => remember(roles, path, () => roleOf(path, policy)),
    testRoleOf: (path) => remember(testRoles, path, () => testRole(path, policy)),
    parse(path, side) {
      const language = languageOf(path);
      const text = side?.text ?? null;
      if (language === null || side === null || text === null || side.mode === '120000') return null;
      return remember(trees, `${language} ${side.oid}`, () => parsers.parse(language, text));
    },
  };
}

function remember<Value>(known: Map<string, Value>, key: string, make: () => Value): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

/** Pairs of a removed and an added path with the same blob that the spec allows by name. */
export function allowedRenames(judged: Judged): ReadonlyMap<string, string> {
  const byPath = new Map(judged.change.changes.map((each) => [each.path, each]));
  const pairs = judged.spec.allow.rename.filter(([from, to]) => isRename(byPath.get(from), byPath.get(to)));
  return new Map(pairs);
}

function isRename(from: FileChange | undefined, to: FileChange | undefined): boolean {
  if (from?.base == null || from.head !== null || to?.head == null || to.base !== null) return false;
  return from.base.oid === to.head.oid && from.base.mode === to.head.mode;
}
