import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkTrunk } from '../../src/cli/demo/verify.ts';
import { openScenario, type Scenario } from './support/scenario.ts';

describe('a label becomes a landed commit', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario();
    await scenario.world.startApp();
  });
  afterAll(() => scenario.close());

  it('lands the proven candidate by one merge on trunk, closes the issue and cleans up', async () => {
    const issue = await scenario.ask();
    const task = await scenario.until(issue, 'settled', (one) => one.settled);
    expect(task).toMatchObject({ phase: 'landed', generation: 1, verdict: { verdict: 'pass' } });
    const trunk = await checkTrunk(scenario.world.repo.git.dir, scenario.before, [task]);
    expect(trunk.problems).toEqual([]);
    expect(trunk.commits).toEqual([task.landed?.commit]);
    const stored = scenario.world.repo.issues.get(issue);
    expect(stored).toMatchObject({ state: 'closed', stateReason: 'completed' });
    expect(scenario.world.github.contract?.violations ?? []).toEqual([]);
  });
});
