import { expect, test } from 'vitest';
import { matchesTest, parseTestId } from '../../../src/guard/facts/test-id.ts';

test.each([
  ['a.js::cart > rounds', 'a.js::cart > rounds'],
  ['a.js::cart > rounds', 'a.js::cart rounds'],
  ['a.js::cart > rounds', 'a.js::cart'],
  ['a.js::cart > rounds', 'a.js'],
  ['a.js::cart > rounds (2)', 'a.js::cart > rounds'],
  ['t.py::Load::test_x[a-b]', 't.py::Load::test_x'],
  ['t.py::Load::test_x', 't.py::Load'],
  ['DurationTest.php::DurationTest::testX', 'DurationTest.php::DurationTest#testX'],
  ['(tap)::odd', 'test/any.js::odd'],
])('%s is what %s names', (id, wanted) => {
  expect(matchesTest(id, wanted)).toBe(true);
});

test.each([
  ['a.js::cart > rounds', 'b.js::cart > rounds'],
  ['a.js::cart > rounds twice', 'a.js::cart > rounds'],
  ['a.js::carts > rounds', 'a.js::cart'],
  ['t.py::test_xy', 't.py::test_x'],
  ['a.js::rounds', 'a.js::cart > rounds'],
])('%s is not what %s names', (id, wanted) => {
  expect(matchesTest(id, wanted)).toBe(false);
});

test('an id is taken apart at the first double colon', () => {
  expect(parseTestId('src/lib.rs::tests::wraps')).toEqual({ path: 'src/lib.rs', name: 'tests::wraps' });
  expect(parseTestId('src/lib.rs')).toEqual({ path: 'src/lib.rs', name: null });
});
