import { describe, expect, it } from 'vitest';
import * as refs from '../../../src/git/refs.ts';

describe('names of refs', () => {
  it('are read back as they were made', () => {
    expect(refs.issueOfTaskRef(refs.taskRef(12))).toBe(12);
    expect(refs.buildOfQueueRef(refs.queueRef(3))).toBe(3);
    expect(refs.attemptOfAttemptRef(refs.attemptRef('12.3.b'))).toBe('12.3.b');
    expect(refs.branchOfRef(refs.branchRef('a/b'))).toBe('a/b');
    expect(refs.refusedRef(12, 3, 1)).toBe('refs/ccd/refused/12.3.1');
  });

  it('are not read out of other names', () => {
    for (const ref of [
      'refs/heads/ccd/task/',
      'refs/heads/ccd/task/01',
      'refs/heads/ccd/task/1/2',
      'refs/heads/x',
    ]) {
      expect(refs.issueOfTaskRef(ref)).toBeNull();
      expect(refs.buildOfQueueRef(ref)).toBeNull();
      expect(refs.attemptOfAttemptRef(ref)).toBeNull();
    }
    expect(refs.branchOfRef('refs/tags/x')).toBeNull();
  });

  it('need whole numbers from 1', () => {
    for (const bad of [0, -1, 1.5, Number.NaN]) {
      expect(() => refs.taskRef(bad)).toThrowError(expect.objectContaining({ code: 'git.ref-number' }));
    }
  });

  it.each([
    'refs/heads/a',
    'refs/heads/ccd/attempt/12.3.b',
    'refs/ccd/refused/1.1.1',
    'refs/heads/feat_x+y@z',
  ])('accept %s', (ref) => expect(refs.isRefName(ref)).toBe(true));

  it.each([
    'main',
    'refs/heads',
    'refs/heads/',
    'refs/heads/a..b',
    'refs/heads/a.lock',
    'refs/heads/a.lock/b',
    'refs/heads/.a',
    'refs/heads/a.',
    'refs/heads/a b',
    'refs/heads/a:b',
    'refs/heads/*',
    'refs/heads/a@{1}',
    'refs/heads/a\nb',
    '+refs/heads/a',
  ])('refuse %j', (ref) => expect(refs.isRefName(ref)).toBe(false));
});
