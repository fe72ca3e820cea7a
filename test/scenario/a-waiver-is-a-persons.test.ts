import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { say } from '../../src/cli/demo/people.ts';
import { gitText } from '../../src/git/run-git.ts';
import { until } from '../../src/local/until.ts';
import { openScenario, type Scenario } from './support/scenario.ts';
import { tinyFix } from './support/tiny-project.ts';

describe('a waiver', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario();
  });
  afterAll(() => scenario.close());

  it('by somebody who had no part in it takes up a task that had come to rest; by others it is none', async () => {
    await scenario.tellAgent([...tinyFix, { path: 'NOTES.md', write: 'Out of scope.\n' }]);
    const { maintainer, reviewer, repo } = scenario.world;
    await scenario.world.startApp();
    const issue = await scenario.ask({ title: 'With a note' });
    const halted = await scenario.until(issue, 'halted', (one) => one.phase === 'halted' && one.settled);
    const [finding] = halted.refused?.findings ?? [];
    expect(finding?.rule).toBe('R1');
    const waive = `/ccd waive ${finding?.fingerprint} the note is welcome`;
    const answered = (text: string) => () =>
      (repo.issues.get(issue)?.comments ?? []).some((comment) => comment.body.includes(text));
    await say(maintainer, scenario.repo, issue, waive);
    await until(scenario.world.github.store, 'a refusal', () => answered('neither wrote')() || null, 60_000);
    await say(reviewer, scenario.repo, issue, waive);
    const landed = await scenario.until(issue, 'settled', (one) => one.phase !== 'halted' && one.settled);
    expect(landed.phase).toBe('landed');
    expect(answered('one finding of R1')()).toBe(true);
    const gitDir = repo.git.dir;
    expect(await gitText({ gitDir, args: ['show', 'main:NOTES.md'] })).toBe('Out of scope.');
  });
});
