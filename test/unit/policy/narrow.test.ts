import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultPolicy } from '../../../src/policy/default-policy.ts';
import { limitsOf, narrow } from '../../../src/policy/narrow.ts';

const budget = { maxUsd: 2, maxTurns: 10, maxTries: 1, wallClockMinutes: 5 };

test('the smaller bound holds', () => {
  expect(narrow(defaultPolicy, { ...budget, maxTurns: 1000 }).agent).toMatchObject({
    max_usd: 2,
    max_turns: 40,
    max_tries: 1,
    wall_clock_minutes: 5,
  });
});

test('limits are in millionths and milliseconds', () => {
  expect(limitsOf(defaultPolicy, budget, 0)).toEqual({
    maxMicroUsd: 2_000_000,
    maxTurns: 10,
    maxTries: 1,
    wallClockMs: 300_000,
    silenceMs: 600_000,
  });
});

test('what the task has spent is taken off its cap, never below nothing', () => {
  expect(limitsOf(defaultPolicy, budget, 19_000_000).maxMicroUsd).toBe(1_000_000);
  expect(limitsOf(defaultPolicy, budget, 30_000_000).maxMicroUsd).toBe(0);
});

test('no budget widens a policy', () => {
  const anyBudget = fc.record({
    maxUsd: fc.double({ min: 0.01, max: 1000, noNaN: true }),
    maxTurns: fc.integer({ min: 1, max: 1000 }),
    maxTries: fc.integer({ min: 1, max: 10 }),
    wallClockMinutes: fc.integer({ min: 1, max: 1440 }),
  });
  fc.assert(
    fc.property(anyBudget, (given) => {
      const { agent } = narrow(defaultPolicy, given);
      expect(agent.max_usd).toBeLessThanOrEqual(defaultPolicy.agent.max_usd);
      expect(agent.max_turns).toBeLessThanOrEqual(defaultPolicy.agent.max_turns);
      expect(agent.max_tries).toBeLessThanOrEqual(defaultPolicy.agent.max_tries);
      expect(agent.wall_clock_minutes).toBeLessThanOrEqual(defaultPolicy.agent.wall_clock_minutes);
    }),
  );
});
