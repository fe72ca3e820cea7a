import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RepositoryState, repositoryStateSchema } from '../../src/domain/state.ts';
import { stateRef } from '../../src/git/refs.ts';
import { git, gitText } from '../../src/git/run-git.ts';
import { openScenario, type Scenario } from './support/scenario.ts';

describe('what goes back while the app is away', () => {
  let scenario: Scenario;
  let gitDir: string;
  let landedState: string;
  let landedTrunk: string;
  beforeAll(async () => {
    scenario = await openScenario();
    gitDir = scenario.world.repo.git.dir;
    const app = await scenario.world.startApp();
    const issue = await scenario.ask();
    await scenario.until(issue, 'settled', (one) => one.phase === 'landed' && one.settled, 120_000);
    await app.stop();
    [landedState, landedTrunk] = [await rev(stateRef), await rev('refs/heads/main')];
  });
  afterAll(() => scenario.close());

  const rev = (name: string) => gitText({ gitDir, args: ['rev-parse', name] });
  const put = (ref: string, commit: string) => git({ gitDir, args: ['update-ref', ref, commit] });

  /** What the app makes of it: the repository's state once it is paused. */
  async function pausedBy(): Promise<RepositoryState['pause']> {
    const app = await scenario.world.startApp();
    try {
      for (;;) {
        const text = await gitText({ gitDir, args: ['show', `${stateRef}:repository.json`] });
        const { pause } = repositoryStateSchema.parse(JSON.parse(text));
        if (pause !== null) return pause;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    } finally {
      await app.stop();
      await put(stateRef, landedState);
      await put('refs/heads/main', landedTrunk);
    }
  }

  /** The newest state commit of a file's history at which a condition still holds. */
  async function lastState(holds: (state: RepositoryState, files: string) => boolean): Promise<string> {
    const commits = (await gitText({ gitDir, args: ['rev-list', landedState] })).split('\n');
    for (const commit of commits) {
      const files = await gitText({ gitDir, args: ['ls-tree', '-r', '--name-only', commit] });
      const text = await gitText({ gitDir, args: ['show', `${commit}:repository.json`] });
      if (holds(repositoryStateSchema.parse(JSON.parse(text)), files)) return commit;
    }
    throw new Error('there was no such state');
  }

  it('a state from before the landing does not know what trunk holds', async () => {
    await put(stateRef, await lastState((state) => state.lastLanded === null && state.nextBuild > 2));
    expect(await pausedBy()).toMatchObject({ by: 'alarm', code: 'state-rolled-back' });
  });

  it('a state from before the claim does not know the run that works for it', async () => {
    await put(stateRef, await lastState((_, files) => !files.includes('tasks/')));
    await put('refs/heads/main', scenario.before);
    expect(await pausedBy()).toMatchObject({ by: 'alarm', code: 'unknown-run' });
  });

  it('a trunk without what landed last is told once; a person’s word goes on from there', async () => {
    await put('refs/heads/main', scenario.before);
    expect(await pausedBy()).toMatchObject({ by: 'alarm', code: 'trunk-moved-back' });
  });
});
