import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setLabels } from '../../src/github/apply/set-labels.ts';
import { openScenario, type Scenario } from './support/scenario.ts';
import { tinyFix } from './support/tiny-project.ts';

describe('one start per generation', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario();
    await scenario.world.startApp();
  });
  afterAll(() => scenario.close());

  it('a worker run that a person runs again stops before it spends anything, and delivers nothing', async () => {
    const { world } = scenario;
    const issue = await scenario.ask();
    const settled = await scenario.until(issue, 'settled', (one) => one.settled);
    const runId = settled.records[0]?.runId ?? 0;
    const before = world.actions.artifacts.ofRun(world.actions.run(runId)).length;
    const run = world.actions.run(runId);
    world.actions.engine.rerun(run, { onlyFailed: false, actor: run.actor });
    await world.actions.completed(runId);
    const jobs = world.actions.run(runId).jobs.filter((job) => job.attempt === 2);
    expect(jobs.map((job) => job.log.join('\n')).join('\n')).not.toContain('scenario agent');
    expect(world.actions.artifacts.ofRun(world.actions.run(runId))).toHaveLength(before);
    const after = (await scenario.read()).tasks.get(issue);
    expect(after).toEqual(settled);
  });

  it('removing the label cancels the run, and what it hands in moves nothing', async () => {
    const hold = join(scenario.dir, 'agent', 'hold');
    await writeFile(hold, '');
    await scenario.tellAgent([{ hold }, ...tinyFix]);
    const trunk = await scenario.trunk();
    const issue = await scenario.ask({ title: 'Another one' });
    await scenario.until(issue, 'bound', (one) => one.attempt?.runId != null);
    while (!existsSync(`${hold}.taken`)) await new Promise((resolve) => setTimeout(resolve, 50));
    const { maintainer } = scenario.world;
    await setLabels(maintainer, scenario.repo, { number: issue, add: [], remove: ['ccd:dispatch'] });
    const task = await scenario.until(issue, 'withdrawn and at rest', (one) => one.settled);
    await rm(hold, { force: true });
    expect(task).toMatchObject({ phase: 'withdrawn', reason: { code: 'label-removed' }, candidate: null });
    expect(await scenario.trunk()).toBe(trunk);
  });
});
