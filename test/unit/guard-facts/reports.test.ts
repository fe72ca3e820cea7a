import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ReportAdapter, ReportInput } from '../../../src/guard/facts/reports/adapter.ts';
import { cargoTestAdapter } from '../../../src/guard/facts/reports/cargo-test.ts';
import { goTestAdapter } from '../../../src/guard/facts/reports/go-test.ts';
import { jestAdapter } from '../../../src/guard/facts/reports/jest.ts';
import { mochaAdapter } from '../../../src/guard/facts/reports/mocha.ts';
import { nodeTestAdapter } from '../../../src/guard/facts/reports/node-test.ts';
import { pytestAdapter } from '../../../src/guard/facts/reports/pytest.ts';
import { parseTap } from '../../../src/guard/facts/reports/tap.ts';
import { parseXml } from '../../../src/guard/facts/reports/xml.ts';

const nothing: ReportInput = {
  report: null,
  stdout: '',
  key: 'k',
  root: '/w',
  folder: '',
  readText: () => null,
  paths: [],
};

function read(adapter: ReportAdapter, input: Partial<ReportInput>): string[] {
  const result = adapter.parse({ ...nothing, ...input });
  if (result.kind === 'unreadable') return [`?${result.reason}`];
  return result.tests.map(
    ({ id, status, failure }) => `${id} ${status}${failure === null ? '' : ` ${failure}`}`,
  );
}

const start = (name: string, nesting = 0) => ({ type: 'start', name, nesting, file: '/w/t.test.js' });
const ended = (type: 'pass' | 'fail', name: string, more: object = {}) => ({
  type,
  name,
  nesting: 0,
  file: '/w/t.test.js',
  suite: false,
  skip: false,
  todo: false,
  failureType: null,
  cause: null,
  stderr: '',
  ...more,
});
const failed = (code: string, failureType = 'testCodeFailure') => ({
  failureType,
  cause: { code, name: 'E', message: 'why' },
});

/** A report as our own reporters seal it. */
const sealed = (value: unknown) => {
  const text = JSON.stringify(value);
  return `${createHmac('sha256', 'k').update(text).digest('hex')} ${text}`;
};

function nodeReport(events: readonly object[], key = 'k'): string {
  const line = (event: object, index: number) => {
    const text = JSON.stringify(event);
    return `${createHmac('sha256', key).update(`${index} ${text}`).digest('hex')} ${text}\n`;
  };
  return [...events, { type: 'end' }].map(line).join('');
}

test('node:test: nested names, reasons, what did not run, files and suites', () => {
  const report = nodeReport([
    ended('fail', 'top', failed('ERR_ASSERTION')),
    start('suite'),
    ended('pass', 'inner', { nesting: 1 }),
    ended('fail', 'thrown', { nesting: 1, ...failed('ENOENT') }),
    ended('fail', 'suite', { suite: true, ...failed('', 'subtestsFailed') }),
    ended('pass', 'later', { todo: true }),
    ended('pass', 'never', { skip: true }),
    ended('fail', 'cut', failed('', 'cancelledByParent')),
    ended('fail', 'hooked', { suite: true, ...failed('', 'hookFailed') }),
    ended('fail', '/w/t.test.js', { ...failed(''), stderr: 'SyntaxError' }),
  ]);
  expect(read(nodeTestAdapter, { report })).toEqual([
    't.test.js::top failed assertion',
    't.test.js::suite > inner passed',
    't.test.js::suite > thrown failed error',
    't.test.js::later todo',
    't.test.js::never skipped',
    't.test.js::cut aborted',
    't.test.js::hooked failed error',
    't.test.js::(file) failed error',
  ]);
});

test('node:test: a line that its reporter did not write, a line moved or left out, a report cut short', () => {
  const report = nodeReport([ended('pass', 'a'), ended('pass', 'b')]);
  const lines = report.trimEnd().split('\n');
  const forged = nodeReport([ended('pass', 'a')], 'guessed');
  for (const bad of [
    forged,
    `${lines[1]}\n${lines[0]}\n${lines[2]}\n`,
    `${lines[0]}\n${lines[2]}\n`,
    `${report}x`,
  ]) {
    expect(read(nodeTestAdapter, { report: bad })).toEqual([
      '?The report was tampered with: a line does not carry the mark of its reporter.',
    ]);
  }
  for (const cut of ['', `${lines[0]}\n`, `${lines[0]}\n${lines[1]}`]) {
    expect(read(nodeTestAdapter, { report: cut })[0]).toMatch(/^\?The report breaks off/);
  }
  expect(read(nodeTestAdapter, {})[0]).toMatch(/wrote no report/);
});

const jestTest = (title: string, status: string, message?: string) => ({
  ancestorTitles: ['cart'],
  title,
  status,
  failureMessages: message === undefined ? [] : [message],
});

test('jest and vitest: files that break down are told from tests that fail', () => {
  const report = sealed({
    testResults: [
      {
        name: '/w/src/cart.test.js',
        status: 'failed',
        assertionResults: [
          jestTest('a', 'passed'),
          jestTest(
            'b',
            'failed',
            '\u001b[31mError: expect(received).toBe(expected)'.replace('\u001b[31m', ''),
          ),
          jestTest('c', 'failed', 'TypeError: x is not a function\n at y'),
          jestTest('d', 'failed', 'AssertionError: expected 1 to be 2'),
          jestTest('e', 'pending'),
          jestTest('f', 'todo'),
        ],
      },
      {
        name: '/w/src/broken.test.js',
        status: 'failed',
        message: 'Cannot find module',
        assertionResults: [],
      },
    ],
  });
  expect(read(jestAdapter, { report })).toEqual([
    'src/cart.test.js::cart > a passed',
    'src/cart.test.js::cart > b failed assertion',
    'src/cart.test.js::cart > c failed error',
    'src/cart.test.js::cart > d failed assertion',
    'src/cart.test.js::cart > e skipped',
    'src/cart.test.js::cart > f todo',
    'src/broken.test.js::(file) failed error',
  ]);
  for (const bad of [
    '',
    '{}',
    sealed({}),
    sealed([]),
    sealed({ testResults: [{}] }),
    report.slice(1),
    `${report} `,
  ])
    expect(read(jestAdapter, { report: bad })[0]).toMatch(/^\?/);
});

test('mocha', () => {
  const report = sealed({
    tests: [
      { file: '/w/test/a.js', titles: ['x', 'y'], status: 'passed', message: null },
      { file: '/w/test/a.js', titles: ['x', 'z'], status: 'failed', message: 'AssertionError: no' },
      { file: '/elsewhere/a.js', titles: ['q'], status: 'skipped', message: null },
    ],
  });
  expect(read(mochaAdapter, { report })).toEqual([
    'test/a.js::x > y passed',
    'test/a.js::x > z failed assertion',
    '(outside)::q skipped',
  ]);
});

test('pytest: node ids as pytest writes them, errors of collection and set-up', () => {
  const report = `<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" tests="6">
<testcase classname="tests.test_slugs" name="test_table[tram-depot]" file="tests/test_slugs.py" line="3" time="0.1"/>
<testcase classname="test_readings.LoadTest" name="test_x" file="test_readings.py"><failure message="AssertionError: assert 1 == 2">text &lt;x&gt;</failure></testcase>
<testcase classname="tests.test_slugs" name="test_e" file="tests/test_slugs.py"><failure message="TypeError: no"/></testcase>
<testcase classname="tests.test_slugs" name="test_f" file="tests/test_slugs.py"><error message="failed on setup with &quot;x&quot;"/></testcase>
<testcase classname="tests.test_slugs" name="test_s" file="tests/test_slugs.py"><skipped type="pytest.xfail" message=""/></testcase>
<testcase classname="" name="tests.test_gone"><error message="collection failure"><![CDATA[ImportError <&>]]></error></testcase>
</testsuite></testsuites>`;
  expect(read(pytestAdapter, { report })).toEqual([
    'tests/test_slugs.py::test_table[tram-depot] passed',
    'test_readings.py::LoadTest::test_x failed assertion',
    'tests/test_slugs.py::test_e failed error',
    'tests/test_slugs.py::test_f failed error',
    'tests/test_slugs.py::test_s skipped',
    '(collection)::.tests.test_gone failed error',
  ]);
});

test.each(['<a><b></a>', '<a', '<!DOCTYPE x [<!ENTITY y "z">]><testsuite/>', 'no', '', '<a/><b/>'])(
  '%s is no XML of ours',
  (text) => {
    expect(parseXml(text)).toBeNull();
  },
);

test('go: files are found by the functions in them, packages that do not build are told', () => {
  const events = [
    { Action: 'run', Package: 'example.org/m/quota', Test: 'TestSpend' },
    {
      Action: 'output',
      Package: 'example.org/m/quota',
      Test: 'TestSpend',
      Output: 'quota_test.go:9: got 1\n',
    },
    { Action: 'fail', Package: 'example.org/m/quota', Test: 'TestSpend' },
    { Action: 'pass', Package: 'example.org/m', Test: 'TestLines/space_counts' },
    { Action: 'skip', Package: 'example.org/m', Test: 'TestLines' },
    { Action: 'fail', Package: 'example.org/m/quota' },
  ];
  const texts: Readonly<Record<string, string>> = {
    'go.mod': 'module example.org/m\n',
    'wrap_test.go': 'func TestLines(t *testing.T) {}\n',
    'quota/quota_test.go': 'func TestSpend(t *testing.T) {}\n',
  };
  const stdout = events.map((event) => JSON.stringify(event)).join('\n');
  const input = { stdout, paths: Object.keys(texts), readText: (path: string) => texts[path] ?? null };
  expect(read(goTestAdapter, input)).toEqual([
    'quota/quota_test.go::TestSpend failed assertion',
    'wrap_test.go::TestLines/space_counts passed',
    'wrap_test.go::TestLines skipped',
  ]);
  const broken = `${JSON.stringify({ Action: 'fail', Package: 'example.org/m/quota' })}\n`;
  expect(read(goTestAdapter, { ...input, stdout: broken })).toEqual(['quota::(file) failed error']);
});

const cargo = `   Compiling steps v0.1.0 (/w)
     Running unittests src/lib.rs (target/debug/deps/steps-0a1b)

running 3 tests
test tests::wraps ... FAILED
test tests::plain ... ok
test tests::slow ... ignored

failures:

---- tests::wraps stdout ----
thread 'tests::wraps' panicked at src/lib.rs:9:9:
assertion \`left == right\` failed

failures:
    tests::wraps

test result: FAILED. 1 passed; 1 failed; 1 ignored
     Running tests/reading.rs (target/debug/deps/reading-9)

running 1 test
test a_letter ... ok
`;

test('cargo: results under the heading of their program; a count that does not fit is unreadable', () => {
  expect(read(cargoTestAdapter, { stdout: cargo })).toEqual([
    'src/lib.rs::tests::wraps failed assertion',
    'src/lib.rs::tests::plain passed',
    'src/lib.rs::tests::slow skipped',
    'tests/reading.rs::a_letter passed',
  ]);
  expect(read(cargoTestAdapter, { stdout: cargo.replace('test a_letter ... ok\n', '') })[0]).toMatch(
    /announced 4 tests, 3/,
  );
  expect(read(cargoTestAdapter, { stdout: 'error[E0425]: cannot find' })[0]).toMatch(/Nothing was built/);
});

test('TAP: a test is as bad as its worst assertion; plan, directives and diagnostics', () => {
  const text = `TAP version 13
# clamp
ok 1 low is 2.5
not ok 2 high
  ---
    operator: equal
    expected: 9
  ...
# later
not ok 3 x # TODO soon
# never
ok 4 y # skip no
# clamp
ok 5 again
1..5
`;
  const tests = (of: string) => {
    const result = parseTap(of);
    return result.kind === 'tests'
      ? result.tests.map(({ id, status, failure }) => [id, status, failure])
      : result.reason;
  };
  expect(tests(text)).toEqual([
    ['(tap)::clamp', 'failed', 'assertion'],
    ['(tap)::later', 'todo', null],
    ['(tap)::never', 'skipped', null],
    ['(tap)::clamp', 'passed', null],
  ]);
  expect(tests('ok 1 - a\nok 2 - b\n1..2\n')).toEqual([
    ['(tap)::a', 'passed', null],
    ['(tap)::b', 'passed', null],
  ]);
  expect(tests(text.replace('1..5', '1..6'))).toMatch(/tells of 6 tests, 5/);
  expect(tests(text.replace('1..5', ''))).toMatch(/no TAP plan/);
  expect(tests(`${text}Bail out!\n`)).toMatch(/bailed out/);
});
