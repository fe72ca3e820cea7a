import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { say } from '../../src/cli/demo/people.ts';
import { checkTrunk } from '../../src/cli/demo/verify.ts';
import { openScenario, type Scenario } from './support/scenario.ts';
import { tinyFix } from './support/tiny-project.ts';

/** A condition that is met once. */
function signal(): { readonly met: Promise<void>; meet(): void } {
  let meet: () => void = () => undefined;
  const met = new Promise<void>((resolve) => {
    meet = resolve;
  });
  return { met, meet };
}

describe('an app that stands still in the middle of a write', () => {
  let scenario: Scenario;
  let pid = 0;
  beforeAll(async () => {
    scenario = await openScenario();
  });
  afterAll(async () => {
    // What stands still cannot end.
    if (pid > 0) process.kill(pid, 'SIGCONT');
    await scenario.close();
  });

  it('beside one that goes on: one run, one landing, and what it wrote late is taken back or put right', async () => {
    const { world } = scenario;
    const hold = join(scenario.dir, 'agent', 'hold');
    await writeFile(hold, '');
    await scenario.tellAgent([{ hold }, ...tinyFix]);
    const still = await world.startApp('still');
    pid = still.pid;
    const late = signal();
    const stopped = signal();
    // Its first write of a comment reaches GitHub when all is over; until then the process stands.
    const heal = world.github.store.faults.before('issues/create-comment', async ({ principal }) => {
      if (!principal.startsWith('app:')) return undefined;
      heal();
      process.kill(still.pid, 'SIGSTOP');
      stopped.meet();
      await late.met;
      return undefined;
    });
    const issue = await scenario.ask();
    await say(world.maintainer, scenario.repo, issue, '/ccd status');
    await stopped.met;
    const other = await world.startApp('other');
    while (!existsSync(`${hold}.taken`)) await new Promise((resolve) => setTimeout(resolve, 50));
    await rm(hold);
    const settled = await scenario.until(issue, 'settled', (one) => one.settled);
    expect(settled).toMatchObject({ phase: 'landed', generation: 1 });
    late.meet();
    process.kill(still.pid, 'SIGCONT');
    const comments = (word: string) =>
      (world.repo.issues.get(issue)?.comments ?? []).filter(({ body }) => body.includes(`ccd:${word}`));
    const taken = () =>
      world.github.store.requests.records.filter(({ operation }) => operation === 'issues/delete-comment');
    await expect.poll(() => taken().length, { timeout: 20_000 }).toBeGreaterThan(0);
    await expect.poll(() => comments('status').map(({ id }) => id)).toEqual([settled.statusComment]);
    expect(comments('reply')).toHaveLength(1);
    const trunk = await checkTrunk(world.repo.git.dir, scenario.before, [settled]);
    expect(trunk).toMatchObject({ problems: [], commits: [settled.landed?.commit] });
    const runs = [...world.actions.engine.runs.values()].filter(({ workflow }) =>
      /ccd-worker/.test(workflow.path),
    );
    expect(runs).toHaveLength(1);
    expect(world.deadApp()).toBeNull();
    expect((await scenario.read()).tasks.get(issue)).toEqual(settled);
    await other.stop();
  });
});
