import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkTrunk } from '../../src/cli/demo/verify.ts';
import { openScenario, root, type Scenario } from './support/scenario.ts';
import { tinyFix } from './support/tiny-project.ts';

const hourMs = 3_600_000;
/** What makes something that would stand there twice if it were made again. */
const makers = ['issues/create-comment', 'actions/create-workflow-dispatch', 'pulls/create', 'checks/create'];
/** A secondary limit as GitHub tells it once the effect has taken place. */
const limit = {
  status: 403,
  headers: { 'retry-after': '1' },
  body: { message: 'You have exceeded a secondary rate limit.' },
};

describe('an app whose host clock jumps, while GitHub limits it', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario();
  });
  afterAll(() => scenario.close());

  it('lands the task once, doubles nothing, cancels nothing and raises no alarm', async () => {
    const { world } = scenario;
    const clock = join(scenario.dir, 'clock');
    const hold = join(scenario.dir, 'agent', 'hold');
    await writeFile(hold, '');
    await scenario.tellAgent([{ hold }, ...tinyFix]);
    const limited = new Set<string>();
    for (const operation of makers)
      world.github.store.faults.after(operation, ({ principal }) => {
        if (!principal.startsWith('app:') || limited.has(operation)) return undefined;
        limited.add(operation);
        return limit;
      });
    // A day ahead from the start: not even its first token is taken at once.
    await writeFile(clock, String(24 * hourMs));
    await world.startApp('app', {
      CCD_TEST_CLOCK: clock,
      NODE_OPTIONS: `--import=${join(root, 'test', 'scenario', 'support', 'moved-clock.mjs')}`,
    });
    const issue = await scenario.ask();
    while (!existsSync(`${hold}.taken`)) await new Promise((resolve) => setTimeout(resolve, 50));
    await writeFile(clock, String(-hourMs));
    await rm(hold);
    await scenario.until(issue, 'handed over', (one) => one.candidate !== null);
    await writeFile(clock, String(25 * hourMs));
    const task = await scenario.until(issue, 'settled', (one) => one.settled);
    expect(task).toMatchObject({
      phase: 'landed',
      generation: 1,
      spent: { generations: 1, queueEntries: 1 },
    });
    const trunk = await checkTrunk(world.repo.git.dir, scenario.before, [task]);
    expect(trunk).toMatchObject({ problems: [], commits: [task.landed?.commit] });
    expect([...limited].sort()).toEqual([...makers].sort());
    const own = world.repo.checkRuns.filter((check) => check.app.id === world.app.id);
    expect(own.map(({ name }) => name).sort()).toEqual(['ccd / guard', 'ccd / landing']);
    const comments = world.repo.issues.get(issue)?.comments ?? [];
    expect(comments.filter(({ body }) => body.includes('ccd:status'))).toHaveLength(1);
    const runs = [...world.actions.engine.runs.values()].filter(({ workflow }) => /ccd-/.test(workflow.path));
    expect(runs.map(({ conclusion }) => conclusion)).toEqual(['success', 'success']);
    expect((await scenario.read()).tasks.get(issue)).toEqual(task);
  });
});
