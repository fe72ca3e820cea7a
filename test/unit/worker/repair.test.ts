import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimDifferences, readClaim } from '../../../src/worker/claim.ts';
import { nothingSeen, type Observed } from '../../../src/worker/observed.ts';
import { afterFailure, failureDigest } from '../../../src/worker/repair.ts';
import { unfinishedWork } from '../../../src/worker/unfinished.ts';
import type { FailedCheck } from '../../../src/worker/verify.ts';

const tree = (name: string) => name.repeat(40);
const check = (output: string, change: Partial<FailedCheck> = {}): FailedCheck => ({
  command: 'npm test',
  exitCode: 1,
  timedOut: false,
  output,
  ...change,
});
const tried = (name: string, output: string) => ({ tree: tree(name), failure: failureDigest(check(output)) });

describe('after a failed check', () => {
  it('repairs while something moves, up to the tries of the contract', () => {
    expect(afterFailure([tried('a', 'x')], 3)).toBe('repair');
    expect(afterFailure([tried('a', 'x'), tried('b', 'x')], 3)).toBe('repair');
    expect(afterFailure([tried('a', 'x'), tried('b', 'x'), tried('c', 'x')], 3)).toBe('verification-failed');
    expect(afterFailure([tried('a', 'x')], 1)).toBe('verification-failed');
  });
  it('stops when a tree comes back with its failure, also in a circle', () => {
    expect(afterFailure([tried('a', 'x'), tried('a', 'x')], 3)).toBe('no-progress');
    expect(afterFailure([tried('a', 'x'), tried('b', 'y'), tried('a', 'x')], 9)).toBe('no-progress');
  });
  it('goes on when the same tree fails otherwise: the check wavers', () => {
    expect(afterFailure([tried('a', 'x'), tried('a', 'y')], 3)).toBe('repair');
  });
  it('never asks for more tries than there are', () => {
    const one = fc.record({ tree: fc.constantFrom('a', 'b', 'c'), output: fc.constantFrom('x', 'y') });
    fc.assert(
      fc.property(
        fc.array(one, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 9 }),
        (list, most) => {
          const history = list.map(({ tree: name, output }) => tried(name, output));
          const decision = afterFailure(history, most);
          if (decision === 'repair') expect(history.length).toBeLessThan(most);
          const again = history.slice(0, -1).some((earlier) => {
            const last = history.at(-1);
            return earlier.tree === last?.tree && earlier.failure === last.failure;
          });
          expect(decision === 'no-progress').toBe(again);
        },
      ),
    );
  });
});

describe('two failures are the same', () => {
  it('whatever durations, ids, addresses and order say', () => {
    const left = check('not ok 1 - adds (12.5 ms)\n  at /work-1/a.js:3:7\nrun 3f9c2ab71e');
    const right = check('run 00aa11bb22cc\nnot ok 1 - adds (9 ms)\n  at /work-2/a.js:3:7\n');
    expect(failureDigest(left)).toBe(failureDigest({ ...right, output: right.output.trim() }));
  });
  it('but not with another message, command or ending', () => {
    const base = failureDigest(check('expected a to be b'));
    expect(failureDigest(check('expected a to be c'))).not.toBe(base);
    expect(failureDigest(check('expected a to be b', { exitCode: 2 }))).not.toBe(base);
    expect(failureDigest(check('expected a to be b', { timedOut: true }))).not.toBe(base);
    expect(failureDigest(check('expected a to be b', { command: 'npm run lint' }))).not.toBe(base);
  });
});

describe("the agent's claim", () => {
  const fenced = (json: string) => `Done.\n\n\`\`\`ccd-report\n${json}\n\`\`\`\n`;
  it('is the last block, the rest is the summary', () => {
    const first = fenced('{"changed_files":["old"]}');
    const claim = readClaim(
      first + fenced('{"changed_files":["./a.ts","b/c.ts"],"unfinished":[],"subject":"S"}'),
    );
    expect(claim).toMatchObject({ changedFiles: ['a.ts', 'b/c.ts'], unfinished: [], subject: 'S' });
    expect(claim.summary).toContain('Done.');
  });
  it('is only words where no block can be read', () => {
    for (const words of ['plain', fenced('{broken'), fenced('[1]'), fenced('"x"'), '```ccd-report\n{}']) {
      expect(readClaim(words)).toMatchObject({ changedFiles: null, unfinished: null, subject: null });
    }
    expect(readClaim(fenced('{"changed_files":[1],"subject":7}')).changedFiles).toBeNull();
  });
  it('never throws and never loses the words', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (words) => {
        expect(readClaim(words).summary).toBe(words);
      }),
    );
  });
  it('is found in one pass, however many blocks are begun', () => {
    const begun = process.cpuUsage();
    expect(readClaim('```ccd-report\n'.repeat(70_000)).changedFiles).toBeNull();
    expect(readClaim(`\`\`\`\`ccd-report\n${fenced('{"changed_files":["a"]}')}`).changedFiles).toEqual(['a']);
    // Each begun block was once searched for its end through all that followed: a minute.
    expect(process.cpuUsage(begun).user).toBeLessThan(2_000_000);
  });
  it('is held against the change in both directions', () => {
    const changed = [{ path: 'a' }, { path: 'b' }];
    expect(claimDifferences(['b', 'c', 'c'], changed)).toEqual({ notChanged: ['c'], notClaimed: ['a'] });
    expect(claimDifferences(null, changed)).toEqual({ notChanged: [], notClaimed: [] });
  });
});

describe('unfinished work', () => {
  const observed = (change: Partial<Observed>): Observed => ({
    ...nothingSeen,
    status: 'failed',
    outcome: { class: 'deterministic', reason: 'x' },
    enforced: null,
    wanted: ['npm test', 'npm run lint'],
    tries: 2,
    changed: [{ path: 'a', kind: 'modified', blob: tree('a') }],
    lastTree: tree('b'),
    tree: tree('b'),
    ...change,
  });
  const ran = (command: string, exitCode: number, number = 2) => ({
    command,
    exitCode,
    timedOut: false,
    durationMs: 1,
    try: number,
  });
  const kinds = (change: Partial<Observed>) => unfinishedWork(observed(change)).map(({ kind }) => kind);

  it('is each check of the last try that failed or never ran', () => {
    const earlier = [ran('npm test', 0, 1), ran('npm run lint', 0, 1)];
    expect(unfinishedWork(observed({ checks: [...earlier, ran('npm test', 1)] }))).toEqual([
      { kind: 'check-failed', detail: 'npm test' },
      { kind: 'check-not-run', detail: 'npm run lint' },
    ]);
    expect(kinds({ checks: [ran('npm test', 0), ran('npm run lint', 0)] })).toEqual([]);
  });
  it('names what was changed and did not get out', () => {
    const checks = [ran('npm test', 0), ran('npm run lint', 0)];
    expect(kinds({ checks, tree: tree('c') })).toEqual(['not-handed-over']);
    expect(kinds({ checks, changed: [], tree: null, lastTree: tree('0') })).toEqual(['nothing-changed']);
    expect(kinds({ checks, conflicted: ['x'] })).toEqual(['conflict-markers']);
    expect(kinds({ wanted: [] })).toEqual(['nothing-checked']);
    expect(kinds({ tries: 0, changed: [], tree: null, lastTree: null })).toEqual([]);
  });
});
