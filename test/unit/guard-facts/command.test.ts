import { expect, test } from 'vitest';
import { findRunners } from '../../../src/guard/facts/find-runner.ts';
import { reportAdapters } from '../../../src/guard/facts/reports/adapters.ts';
import { joinSegments, resolveCommand } from '../../../src/guard/facts/resolve-command.ts';
import { shellQuote, shellSegments, shellWords } from '../../../src/guard/facts/shell-words.ts';

type Scripts = Readonly<Record<string, string>>;
const written = (command: string, scripts: Scripts) =>
  joinSegments(resolveCommand(command, (folder) => (folder === '' ? scripts : null)));

test.each([
  ['npm test', { test: 'node --test' }, 'node --test'],
  ['npm t', { test: 'vitest run' }, 'vitest run'],
  ['npm run -s unit', { unit: 'jest --ci' }, 'jest --ci'],
  ['npm test -- --bail', { test: 'mocha' }, 'mocha --bail'],
  ['npm test', { pretest: 'tsc', test: 'mocha', posttest: 'eslint .' }, 'tsc && mocha && eslint .'],
  [
    'npm test && echo done',
    { test: 'npm run a && npm run b', a: 'tsc', b: 'ava' },
    'tsc && ava && echo done',
  ],
  ['yarn unit', { unit: 'jest' }, 'jest'],
  ['yarn jest', { unit: 'x' }, 'yarn jest'],
  ['pnpm run test', { test: 'vitest' }, 'vitest'],
  ['npm run missing', { test: 'x' }, 'npm run missing'],
  ['npm test', { test: 'npm test' }, 'npm test'],
  ['npm --prefix sub test', { test: 'mocha' }, 'npm --prefix sub test'],
])('%s is written out', (command, scripts, expected) => {
  expect(written(command, scripts)).toBe(expected);
});

test('scripts are looked up in the folder that the command went to', () => {
  const folders: Readonly<Record<string, Scripts>> = {
    '': { test: 'root' },
    'packages/a': { test: 'inner' },
  };
  const resolved = resolveCommand('cd packages/a && npm test', (folder) => folders[folder] ?? null);
  expect(resolved.map(({ source, folder }) => [source, folder])).toEqual([
    ['cd packages/a', ''],
    ['inner', 'packages/a'],
  ]);
});

const found = (command: string, scripts: Scripts = {}) => {
  const search = findRunners(command, () => scripts, reportAdapters);
  return search.kind === 'unknown' ? [] : search.runners.map(({ adapter }) => adapter.name);
};

test.each([
  ['node --test', 'node:test'],
  ['NODE_ENV=test node --import tsx --test test/*.ts', 'node:test'],
  ['node test/all.js', 'node:test'],
  ['c8 --100 node --test', 'node:test'],
  ['cross-env CI=1 npx vitest run', 'vitest'],
  ['npx --yes jest --ci', 'jest'],
  ['node --experimental-vm-modules node_modules/jest/bin/jest.js', 'jest'],
  ['yarn exec mocha', 'mocha'],
  ['./node_modules/.bin/mocha test', 'mocha'],
  ['python -m pytest -q', 'pytest'],
  ['uv run pytest', 'pytest'],
  ['go test ./...', 'go test'],
  ['cargo test', 'cargo test'],
  ["nyc tape 'test/**/*.js'", 'tap'],
])('%s is read as %s', (command, name) => {
  expect(found(command)).toEqual([name]);
});

test.each(['make check', 'node build.js', 'echo node --test', 'eslint . --test', ''])(
  '%s is no runner',
  (command) => {
    expect(found(command)).toEqual([]);
  },
);

test('two runners in one command are both found', () => {
  expect(found('npm test', { test: 'node --test && vitest run' })).toEqual(['node:test', 'vitest']);
});

test('words and operators inside quotes are text', () => {
  expect(
    shellSegments(`a 'b && c' "d;e" f\\ g | h`).map(({ words }) => words.map(({ text }) => text)),
  ).toEqual([['a', 'b && c', 'd;e', 'f g'], ['h']]);
  expect(shellWords(shellQuote("it's"))[0]?.text).toBe("it's");
});

const places = { reportFile: '/r/x.report', supportDir: '/s/y' };
function instrumented(command: string): string {
  const search = findRunners(command, () => null, reportAdapters);
  if (search.kind === 'unknown') return '';
  const [runner] = search.runners;
  const segment = search.segments[runner?.index ?? 0];
  return runner === undefined || segment === undefined
    ? ''
    : runner.adapter.instrument(segment, runner.at, places).source;
}

test.each([
  [
    'node --test',
    'node --test-reporter=/s/y/node-test-reporter.mjs --test-reporter-destination=/r/x.report --test',
  ],
  [
    'node --test --test-reporter=spec --test-reporter-destination out.txt a.js',
    'node --test-reporter=/s/y/node-test-reporter.mjs --test-reporter-destination=/r/x.report --test a.js',
  ],
  ['vitest run --reporter dot', 'vitest run --reporter=/s/y/vitest-reporter.mjs'],
  ['jest --ci -- src', 'jest --ci --reporters=/s/y/jest-reporter.cjs -- src'],
  ['mocha -R dot', 'mocha --reporter /s/y/mocha-reporter.cjs'],
  ['go test ./...', 'go test -json -count=1 ./...'],
  ['cargo test -- --nocapture', 'cargo test --no-fail-fast -- --nocapture 2>&1'],
  ['ava', 'ava --tap'],
])('%s reports outside the tree', (command, expected) => {
  expect(instrumented(command)).toBe(expected);
});
