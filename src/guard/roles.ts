import type { Policy } from '../policy/policy.ts';
import { isGuarded } from './model/path-pattern.ts';
import { protectionOf } from './model/protection.ts';
import { languageOf } from './parse/languages.ts';

/**
 * What a path is for. `protected`: opened by nobody but a person. `manifest`: opened by `allow` alone (manifests, locks,
 * settings of runners and compilers, files that run by themselves, vendored files). Unknown means `production`.
 */
export type Role = 'protected' | 'manifest' | 'test' | 'test-data' | 'production' | 'docs';

const testFolders = new Set([
  ...[
    'test',
    'tests',
    '__tests__',
    '__test__',
    'spec',
    'specs',
    'testing',
    'e2e',
    'it',
    'unittests',
    'unit_tests',
  ],
  ...[
    'integration-tests',
    'integration_tests',
    'functional-tests',
    'acceptance',
    'androidtest',
    'commontest',
    'jvmtest',
  ],
  ...[
    'testfixtures',
    'test-fixtures',
    'test_fixtures',
    'testutils',
    'test-utils',
    'test_utils',
    'testlib',
    'features',
  ],
  ...['cypress', 'playwright', 't'],
]);

const dataFolders = new Set([
  ...[
    'testdata',
    'test-data',
    'test_data',
    'fixtures',
    '__fixtures__',
    '__snapshots__',
    'snapshots',
    'golden',
    'goldens',
  ],
  ...['cassettes', '__image_snapshots__', 'approvals', 'expected', '__recordings__'],
]);

/** File names (in lower case) that runners of fifteen ecosystems collect, or that people give to tests. */
const testNames: readonly RegExp[] = [
  /[._-](test|tests|spec|specs|e2e|it|cy|unit|test-d|bench)\.[a-z]{1,5}$/,
  /^(test|tests|spec)\.[a-z]{1,5}$/,
  /^tests?[_-].*\.[a-z]{1,5}$/,
  /^.*_tests?\.[a-z]{1,5}$/,
  /_spec\.rb$/,
  /\.feature$/,
  /\.(t|bats|phpt)$/,
];

/** Names in their own letter case: `FooTest.java`, `TestFoo.php`, `FooTests.cs`, `FooSpec.scala`, `FooIT.kt`. */
const testClassName =
  /(^Test[A-Z0-9_].*|.*(Tests?|TestCase|Spec|Specs|IT|ITCase|Cest|Should|Fixture))\.(java|kt|kts|scala|groovy|php|cs|fs|vb|swift|m|mm|dart|hs|ml)$/;

const dataNames = /\.(snap|golden|approved\.[a-z]+|verified\.[a-z]+|expected|expect|cassette|out\.txt)$/;

const docsNames = /\.(md|mdx|markdown|rst|adoc|asciidoc|textile|org)$/;
const docsFolders = new Set(['doc', 'docs', 'documentation', 'site-docs', 'man']);
const docsFiles =
  /^(readme|license|licence|copying|notice|authors|contributors|changelog|changes|history|news|security|code_of_conduct|contributing|todo)(\.[a-z]+)?$/;

/** Role of one path by its name, the policy's patterns first. */
export function roleOf(path: string, policy: Policy): Role {
  const protection = protectionOf(path, policy.guard.protected);
  if (protection !== null) return protection.allow === null ? 'protected' : 'manifest';
  return testRole(path, policy) ?? (isDocs(path) ? 'docs' : 'production');
}

/** The part of {@link roleOf} that tells tests apart, protected or not; null when the path is none. */
export function testRole(path: string, policy: Policy): 'test' | 'test-data' | null {
  const parts = path.toLowerCase().split('/');
  const name = parts.pop() ?? '';
  const code =
    languageOf(path) !== null ||
    /\.(kt|kts|scala|groovy|swift|m|mm|ex|exs|sh|bash|bats|c|cc|cpp|h|hpp|vue|svelte|feature|t|phpt|fs|dart|lua|pl|jl|hs|ml|clj|cljs|erl)$/.test(
      name,
    );
  const byPolicy = isGuarded(path, policy.guard.tests);
  if (dataNames.test(name)) return 'test-data';
  if (parts.some((part) => dataFolders.has(part)) && !code) return 'test-data';
  const original = path.slice(path.lastIndexOf('/') + 1);
  const named = testNames.some((pattern) => pattern.test(name)) || testClassName.test(original);
  const foldered = parts.some((part) => testFolders.has(part) || /^.*[._-]tests?$/.test(part));
  if (!byPolicy && !named && !foldered && !(code && parts.some((part) => part === 'testdata'))) return null;
  return code ? 'test' : isDocs(path) && !byPolicy && !foldered ? null : 'test-data';
}

function isDocs(path: string): boolean {
  const parts = path.toLowerCase().split('/');
  const name = parts.pop() ?? '';
  if (docsNames.test(name) || docsFiles.test(name)) return true;
  return parts.some((part) => docsFolders.has(part)) && languageOf(path) === null;
}

/** Role of every path of a tree. What a facts run overlays from base are all roles but `production` and `docs`. */
export function roles(paths: Iterable<string>, policy: Policy): Map<string, Role> {
  const found = new Map<string, Role>();
  for (const path of paths) found.set(path, roleOf(path, policy));
  return found;
}
