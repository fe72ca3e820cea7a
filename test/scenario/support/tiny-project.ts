import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A project whose whole suite runs in a moment: one function with a bug, one test that does not show it. */
const files: Record<string, string> = {
  'package.json': JSON.stringify({
    name: 'tiny',
    version: '1.0.0',
    type: 'module',
    private: true,
    scripts: { test: 'node --test' },
  }),
  'src/add.js':
    'export function add(left, right) {\n  if (right < 0) return left;\n  return left + right;\n}\n',
  'test/add.test.js': [
    "import assert from 'node:assert/strict';",
    "import { test } from 'node:test';",
    "import { add } from '../src/add.js';",
    '',
    "test('adds two numbers', () => {",
    '  assert.equal(add(1, 2), 3);',
    '});',
    '',
  ].join('\n'),
  '.gitignore': 'node_modules/\n',
  '.github/ccd.yml': [
    'version: 1',
    'required_checks:',
    '  - name: test',
    '    workflow: .github/workflows/ci.yml',
    'task:',
    '  test_command: node --test',
    'agent:',
    '  wall_clock_minutes: 5',
    'guard:',
    '  runs: 1',
    'caps:',
    '  generations: 2',
    '',
  ].join('\n'),
  '.github/workflows/ci.yml': [
    'name: ci',
    'on:',
    '  push:',
    "    branches: ['ccd/queue/**']",
    'permissions:',
    '  contents: read',
    'jobs:',
    '  test:',
    '    runs-on: ubuntu-latest',
    '    steps:',
    '      - uses: actions/checkout@v4',
    '      - run: node --test',
    '',
  ].join('\n'),
};

export async function writeTinyProject(
  folder: string,
  extra: Readonly<Record<string, string>> = {},
): Promise<void> {
  for (const [path, text] of Object.entries({ ...files, ...extra })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

/** The task that mends the bug. */
export const tinyTask = {
  title: 'Adding a negative number does nothing',
  body: [
    '### Kind',
    'fix',
    '### Objective',
    '`add(3, -1)` gives 3. It has to give 2.',
    '### Acceptance criteria',
    '- Negative numbers are added',
    '### Allowed paths',
    '- `src/add.js`',
    '- `test/add.test.js`',
    '### Target tests',
    '- `test/add.test.js::adds a negative number`',
    '',
  ].join('\n\n'),
} as const;

/** One thing that the scripted agent does. */
export type AgentStep = Readonly<Record<string, string>>;

/** What an honest agent does for the task, in order. */
export const tinyFix: readonly AgentStep[] = [
  { path: 'src/add.js', find: '  if (right < 0) return left;\n', put: '' },
  {
    path: 'test/add.test.js',
    append: "\ntest('adds a negative number', () => {\n  assert.equal(add(3, -1), 2);\n});\n",
  },
];

/** What looks like somebody's token, and is nobody's. */
export const fakeToken = `ghp_${'a1B2'.repeat(9)}`;
