import { describe, expect, it } from 'vitest';
import { checkTrunk } from '../../src/cli/demo/verify.ts';
import { openScenario, type Scenario } from './support/scenario.ts';

async function landOne(scenario: Scenario): Promise<void> {
  const issue = await scenario.ask();
  const task = await scenario.until(issue, 'settled', (one) => one.settled, 120_000);
  expect(task).toMatchObject({ phase: 'landed', generation: 1 });
  const trunk = await checkTrunk(scenario.world.repo.git.dir, scenario.before, [task]);
  expect(trunk.problems).toEqual([]);
  expect(trunk.commits).toEqual([task.landed?.commit]);
  const { repo, app } = scenario.world;
  expect(repo.issues.get(issue)).toMatchObject({ state: 'closed', stateReason: 'completed' });
  expect(scenario.world.github.contract?.violations ?? []).toEqual([]);
  const comments = repo.issues.get(issue)?.comments ?? [];
  expect(comments.filter((comment) => comment.body.includes('ccd:status'))).toHaveLength(1);
  expect(repo.checkRuns.filter((check) => check.app.id === app.id)).toHaveLength(2);
}

describe('webhooks are only hints', () => {
  it('lands the task when every webhook is lost', async () => {
    const scenario = await openScenario();
    try {
      scenario.world.github.deliveries.setPolicy({ drop: () => true });
      await scenario.world.startApp('app', { CCD_SWEEP_MS: '2000' });
      await landOne(scenario);
      expect(scenario.world.github.deliveries.list.some((one) => typeof one.outcome === 'object')).toBe(
        false,
      );
    } finally {
      await scenario.close();
    }
  });

  it('lands the task once when every webhook comes twice and two apps run at once', async () => {
    const scenario = await openScenario();
    try {
      scenario.world.github.deliveries.setPolicy({ duplicate: () => true });
      await scenario.world.startApp('app');
      await scenario.world.startApp('other');
      await landOne(scenario);
    } finally {
      await scenario.close();
    }
  });
});
