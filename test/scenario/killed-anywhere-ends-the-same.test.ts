import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { say } from '../../src/cli/demo/people.ts';
import { checkTrunk } from '../../src/cli/demo/verify.ts';
import { repositoryStateSchema, type TaskState } from '../../src/domain/state.ts';
import { stateRef } from '../../src/git/refs.ts';
import { gitText } from '../../src/git/run-git.ts';
import { openScenario, type Scenario } from './support/scenario.ts';

/** One life of a task passes all of these. */
const points = [
  'claim',
  'create-status-comment',
  'reply',
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
    await say(world.maintainer, scenario.repo, issue, '/ccd status');
    const left = new Set(points);
    const note = join(scenario.dir, 'killed-at');
    let task: TaskState | undefined;
    while (task === undefined) {
      const app = await world.startApp('app', { CCD_KILL_AT: [...left].join(','), CCD_KILL_NOTE: note });
      const atRest = restOf(scenario, issue);
      atRest.catch(() => undefined);
      const end = await Promise.race([app.ended, atRest]);
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
      replies: 1,
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

/** The task once it is settled and nothing is owed to anybody any more. */
async function restOf(scenario: Scenario, issue: number): Promise<TaskState> {
  const task = await scenario.until(issue, 'settled', (one) => one.settled, 300_000);
  const args = ['show', `${stateRef}:repository.json`];
  for (;;) {
    const text = await gitText({ gitDir: scenario.world.repo.git.dir, args });
    const state = repositoryStateSchema.parse(JSON.parse(text));
    if (state.answers.length === 0) return task;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function countOf({ world }: Scenario, issue: number) {
  const { repo, app } = world;
  const own = repo.checkRuns.filter((check) => check.app.id === app.id);
  const comments = repo.issues.get(issue)?.comments ?? [];
  const marked = (marker: string) => comments.filter((comment) => comment.body.includes(marker)).length;
  return {
    statusComments: marked('ccd:status'),
    replies: marked('ccd:reply'),
    pulls: [...repo.issues.values()].filter((one) => one.pull !== null && one.pull !== undefined).length,
    guardChecks: own.filter((check) => check.name === 'ccd / guard').length,
    landingChecks: own.filter((check) => check.name === 'ccd / landing').length,
  };
}
