import { describe, expect, it } from 'vitest';
import { foldedName, hostileName } from '../../../src/git/tree-names.ts';

describe('names in hostile trees', () => {
  it.each(['.git', '.GIT', '.git ', '.git. .', 'git~1', '.git:x', '.g\u200cit', '..', 'a\\b', 'a\tb', ''])(
    'refuse %j',
    (name) => expect(hostileName(name, true)).not.toBeNull(),
  );

  it.each(['.github', '.gitignore', '.gitattributes', 'git', 'a.git', 'git~x', 'größe.txt', '...', 'a b'])(
    'take %j',
    (name) => expect(hostileName(name, true)).toBeNull(),
  );

  it('refuse bytes that are no text', () => expect(hostileName('a\ufffd', false)).not.toBeNull());

  it('fold as file systems do that ignore case or compose', () => {
    for (const [left, right] of [
      ['README', 'readme'],
      ['e\u0301', '\u00e9'],
      ['a\u200db', 'ab'],
      ['\u212a', 'k'],
    ] as const) {
      expect(foldedName(left)).toBe(foldedName(right));
    }
    expect(foldedName('a')).not.toBe(foldedName('b'));
  });
});
