import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkTrunk } from '../../src/cli/demo/verify.ts';
import { currentJobs } from '../../src/local/actions/runs/records.ts';
import { openScenario, type Scenario } from './support/scenario.ts';
import { tinyFix } from './support/tiny-project.ts';

describe('a machine that is lost in the middle of an attempt', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario();
  });
  afterAll(() => scenario.close());

  it('costs what was not handed over yet: the next attempt goes on from the last tree, and it lands', async () => {
    const { world } = scenario;
    const hold = join(scenario.dir, 'agent', 'hold');
    const [fix = {}, addTest = {}] = tinyFix;
    await writeFile(hold, '');
    await scenario.tellAgent([fix, { hold }, addTest]);
    await world.startApp('app');
    const issue = await scenario.ask();
    const before = await scenario.until(issue, 'handed over', (one) => one.candidate !== null);
    expect(existsSync(`${hold}.taken`)).toBe(true);

    // The second agent brings the test alone: without the first one's change it could not pass.
    await scenario.tellAgent([addTest]);
    const run = world.actions.run(before.attempt?.runId ?? 0);
    const lost = currentJobs(run).map((job) => world.actions.loseRunner(job.id));
    expect(lost).toEqual([true]);

    const task = await scenario.until(issue, 'settled', (one) => one.settled);
    expect(task).toMatchObject({
      phase: 'landed',
      generation: 2,
      spent: { generations: 2, queueEntries: 1 },
      records: [{ outcome: null }, { outcome: { class: 'success', reason: 'completed' } }],
    });
    expect(task.records[0]?.attempt).toBe(before.attempt?.id);
    // The old agent still waited when the new one was at work: it was ended by what state says, and counts for nothing.
    expect(existsSync(hold)).toBe(true);
    const trunk = await checkTrunk(world.repo.git.dir, scenario.before, [task]);
    expect(trunk).toMatchObject({ problems: [], commits: [task.landed?.commit] });
  });
});
