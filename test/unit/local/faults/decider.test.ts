import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Decider } from '../../../../src/local/faults/decider.ts';
import { FaultPlan, type FaultRecord, type FaultRule } from '../../../../src/local/faults/fault-plan.ts';

const planOf = (rules: readonly object[], seed: string | number = 'seed') => FaultPlan.parse({ seed, rules });
const subject = fc.record({
  on: fc.constantFrom('issues/get', 'issues/create', 'git.push'),
  by: fc.constantFrom('app:ccd', 'user:wendy', 'job:7'),
});

const play = (
  rules: readonly FaultRule[],
  subjects: readonly { on: string; by: string }[],
  decider: Decider,
) =>
  subjects.flatMap((one) =>
    decider.meet(rules, one).map(({ rule, nth }): FaultRecord => {
      return { rule: rule.id, kind: rule.kind, ...one, nth, at: 0, what: '' };
    }),
  );

it('strikes the same calls again for the same seed, however other calls come in between', () => {
  const { rules } = planOf([{ kind: 'slow', chance: 0.5 }]);
  fc.assert(
    fc.property(
      fc.array(subject, { maxLength: 40 }),
      fc.array(subject, { maxLength: 40 }),
      (ours, theirs) => {
        const mine = ours.map((one) => ({ ...one, by: 'app:mine' }));
        const mixed = mine.flatMap((one, index) => [...theirs.slice(index, index + 1), one]);
        const alone = play(rules, mine, new Decider('a'));
        const among = play(rules, mixed, new Decider('a')).filter(({ by }) => by === 'app:mine');
        expect(among).toEqual(alone);
      },
    ),
  );
});

it('strikes exactly what a record says, whatever the rules would roll', () => {
  const { rules } = planOf([
    { kind: 'slow', chance: 0.4 },
    { kind: 'error-before', calls: [2, 5] },
  ]);
  fc.assert(
    fc.property(fc.array(subject, { maxLength: 60 }), fc.string(), (subjects, seed) => {
      const first = play(rules, subjects, new Decider(seed));
      expect(play(rules, subjects, new Decider('another seed', first))).toEqual(first);
    }),
  );
});

it('rolls another game for another seed, and about as often as its chance says', () => {
  const { rules } = planOf([{ kind: 'slow', chance: 0.3 }]);
  const subjects = Array.from({ length: 2_000 }, () => ({ on: 'x', by: 'y' }));
  const one = play(rules, subjects, new Decider('one')).map(({ nth }) => nth);
  const two = play(rules, subjects, new Decider('two')).map(({ nth }) => nth);
  expect(one).not.toEqual(two);
  for (const list of [one, two]) {
    expect(list.length).toBeGreaterThan(500);
    expect(list.length).toBeLessThan(700);
  }
});

it('takes the n-th calls that match, a star for any run of characters, and ends after `times`', () => {
  const meets = (rule: object, subjects: readonly (readonly [string, string])[]) => {
    const { rules } = planOf([{ kind: 'slow', ...rule }]);
    const decider = new Decider('s');
    return subjects.map(([on, by]) => decider.meet(rules, { on, by }).length);
  };
  const issues: [string, string][] = [
    ['issues/get', 'app:ccd'],
    ['git.push', 'app:ccd'],
    ['issues/create', 'user:ann'],
    ['issuesXget', 'app:ccd'],
  ];
  expect(meets({ on: 'issues/*' }, issues)).toEqual([1, 0, 1, 0]);
  expect(meets({ on: 'issues.get' }, issues)).toEqual([0, 0, 0, 0]);
  expect(meets({ by: 'app:*' }, issues)).toEqual([1, 1, 0, 1]);
  expect(meets({ on: 'issues/*', calls: [2] }, issues)).toEqual([0, 0, 1, 0]);
  expect(meets({ times: 2 }, issues)).toEqual([1, 1, 0, 0]);
});

it('refuses a plan with an unknown kind or field, two rules of one name, or an administrator without a ref', () => {
  const refused = (rules: readonly object[]) => FaultPlan.safeParse({ seed: 1, rules }).error?.issues.length;
  expect(refused([{ kind: 'earthquake' }])).toBe(1);
  expect(refused([{ kind: 'slow', often: 3 }])).toBe(1);
  expect(
    refused([
      { kind: 'slow', id: 'a' },
      { kind: 'slow', id: 'a' },
    ]),
  ).toBe(1);
  expect(refused([{ kind: 'admin-rolls-back', repository: 'acme/demo' }])).toBe(1);
  expect(refused([{ kind: 'slow' }, { kind: 'slow' }])).toBeUndefined();
});
