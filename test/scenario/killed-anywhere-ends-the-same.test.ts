import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkTrunk } from '../../src/cli/demo/verify.ts';
import type { TaskState } from '../../src/domain/state.ts';
import { openScenario, type Scenario } from './support/scenario.ts';

/** One life of a task passes all of these. */
const points = [
  'claim',
  'create-status-comment',
  'dispatch-worker',
  'bind',
  'publish',
  'create-pull',
  'put-guard-check',
  'dispatch-facts',
  'build',
  'put-landing-check',
  'landing',
  'close-issue',
  'state-push',
].flatMap((point) => [`before.${point}`, `after.${point}`]);

describe('the app killed before and after each of its writes', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario();
  });
  afterAll(() => scenario.close());

  it('ends in the same refs and trees, with no duplicate of anything', async () => {
    const { world } = scenario;
    const issue = await scenario.ask();
    const left = new Set(points);
    const note = join(scenario.dir, 'killed-at');
    let task: TaskState | undefined;
    while (task === undefined) {
      const app = await world.startApp('app', { CCD_KILL_AT: [...left].join(','), CCD_KILL_NOTE: note });
      const settled = scenario.until(issue, 'settled', (one) => one.settled, 180_000);
      settled.catch(() => undefined);
      const end = await Promise.race([app.ended, settled]);
      if ('issue' in end) task = end;
      else left.delete(await readFile(note, 'utf8'));
    }
    expect([...left]).toEqual([]);
    expect(task).toMatchObject({
      phase: 'landed',
      generation: 1,
      spent: { generations: 1, queueEntries: 1 },
    });
    const trunk = await checkTrunk(world.repo.git.dir, scenario.before, [task]);
    expect(trunk.problems).toEqual([]);
    expect(trunk.commits).toHaveLength(1);
    expect(countOf(scenario, issue)).toEqual({
      statusComments: 1,
      pulls: 1,
      guardChecks: 1,
      landingChecks: 1,
    });
    const refs = (await world.repo.git.refs())
      .map(({ name }) => name)
      .filter((name) => /ccd\/(task|attempt|queue)\//.test(name));
    expect(refs).toEqual([]);
  });
});

function countOf({ world }: Scenario, issue: number) {
  const { repo, app } = world;
  const own = repo.checkRuns.filter((check) => check.app.id === app.id);
  return {
    statusComments: (repo.issues.get(issue)?.comments ?? []).filter((comment) =>
      comment.body.includes('ccd:status'),
    ).length,
    pulls: [...repo.issues.values()].filter((one) => one.pull !== null && one.pull !== undefined).length,
    guardChecks: own.filter((check) => check.name === 'ccd / guard').length,
    landingChecks: own.filter((check) => check.name === 'ccd / landing').length,
  };
}
