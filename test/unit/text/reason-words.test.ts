import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { explainReason, isExplained } from '../../../src/text/reason-words.ts';

const supervisor = new URL('../../../src/supervisor/', import.meta.url);

test('every word that a planner writes out has a sentence', () => {
  const words = readdirSync(supervisor)
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [
      ...readFileSync(new URL(name, supervisor), 'utf8').matchAll(/\bbecause\(\s*'([a-z-]+)'/g),
    ])
    .map((match) => match[1] ?? '');
  expect(words.length).toBeGreaterThan(15);
  expect([...new Set(words)].filter((word) => !isExplained(word))).toEqual([]);
});

test('numbers are filled in, both parts of a compound word are told', () => {
  expect(explainReason({ code: 'waits-for-task', of: 9 }, 'waiting')).toEqual({
    why: 'Depends on task #9, which has not landed.',
    mover: 'the machine',
    ends: 'The landing of #9 is proven.',
  });
  expect(explainReason({ code: 'agent-budget.max-turns', of: 4 }, 'halted').why).toBe(
    'The bounds of one attempt were used up. Reason: max turns.',
  );
});

test('an unknown word is shown, and the phase tells whose move it is', () => {
  expect(explainReason({ code: 'rate-limit', of: null }, 'ready')).toMatchObject({
    why: 'Reason: rate limit.',
    mover: 'the machine',
  });
  expect(explainReason({ code: 'rate-limit', of: null }, 'held').mover).toBe('a person with write access');
});
