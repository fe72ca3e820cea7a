import type { ExecutedTest } from '../../domain/facts.ts';

/**
 * Gives tests of one run ids of their own: the second test of the same name in the same file becomes ` (2)`, in the
 * order of the report. So that removing one of two twins is seen, and a repeated id in facts is a forgery.
 */
export function numberTwins(tests: readonly ExecutedTest[]): ExecutedTest[] {
  const taken = new Set<string>();
  const counts = new Map<string, number>();
  return tests.map((test) => {
    let id = test.id;
    while (taken.has(id)) {
      const count = (counts.get(test.id) ?? 1) + 1;
      counts.set(test.id, count);
      id = `${test.id.slice(0, 1990)} (${count})`;
    }
    taken.add(id);
    return { ...test, id };
  });
}
