import { expect, it } from 'vitest';
import { checkTrunk } from '../../src/cli/demo/verify.ts';
import { FaultPlan } from '../../src/local/faults/fault-plan.ts';
import { playPlan } from '../../src/local/faults/play-plan.ts';
import { openScenario } from './support/scenario.ts';

/** What GitHub does on a bad day, to the app alone: people and workers see it as it is. */
const BAD_DAY = [
  { kind: 'webhook-lost', chance: 0.3 },
  { kind: 'webhook-repeated', chance: 0.3 },
  { kind: 'webhook-late', chance: 0.3, ms: 1_500 },
  { kind: 'stale-read', chance: 0.05, ms: 2_000 },
  { kind: 'run-not-listed', chance: 0.5, ms: 2_000 },
  { kind: 'error-before', chance: 0.04 },
  { kind: 'error-after', chance: 0.04 },
  { kind: 'reset-before', chance: 0.02 },
  { kind: 'reset-after', chance: 0.02 },
  { kind: 'false-conflict', chance: 0.03 },
  { kind: 'secondary-limit', chance: 0.01, retryAfter: 1 },
  { kind: 'dispatch-answer-lost', chance: 0.5 },
  { kind: 'slow', chance: 0.1, ms: 150 },
].map((rule) => (rule.kind.startsWith('webhook') ? rule : { ...rule, by: 'app:*' }));

// Any seed will do; more of them cost half a minute each.
it.each([1])(
  'lands the task exactly once on a bad day (seed %i)',
  async (seed) => {
    const scenario = await openScenario();
    const { store, deliveries } = scenario.world.github;
    const play = playPlan({ store, deliveries }, FaultPlan.parse({ seed, rules: BAD_DAY }));
    try {
      await scenario.world.startApp('app', { CCD_SWEEP_MS: '2000' });
      const issue = await scenario.ask();
      const task = await scenario.until(issue, 'settled', (one) => one.settled, 180_000);
      const struck = new Set(play.records.map((one) => one.kind));
      expect(task, JSON.stringify(play.records)).toMatchObject({ phase: 'landed', generation: 1 });
      expect(struck.size).toBeGreaterThan(8);
      const trunk = await checkTrunk(scenario.world.repo.git.dir, scenario.before, [task]);
      expect(trunk.problems).toEqual([]);
      expect(trunk.commits).toHaveLength(1);
      const comments = scenario.world.repo.issues.get(issue)?.comments ?? [];
      expect(comments.filter((comment) => comment.body.includes('ccd:status'))).toHaveLength(1);
    } finally {
      play.stop();
      await scenario.close();
    }
  },
  240_000,
);
