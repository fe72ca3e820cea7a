import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { editIssue, say } from '../../src/cli/demo/people.ts';
import { git, gitText } from '../../src/git/run-git.ts';
import { openScenario, type Scenario } from './support/scenario.ts';
import { fakeToken, tinyFix, tinyTask } from './support/tiny-project.ts';

describe('nothing lands that was not proven', () => {
  let scenario: Scenario;
  let trunk: string;
  beforeAll(async () => {
    scenario = await openScenario();
    await scenario.world.startApp();
    trunk = await scenario.trunk();
  });
  afterAll(() => scenario.close());

  const refs = async () => (await scenario.world.repo.git.refs()).map(({ name }) => name);
  const checksOn = (commit: string) =>
    scenario.world.repo.checkRuns.filter((check) => check.headSha === commit && check.name === 'ccd / guard');

  it('a tree out of scope reaches no branch: it is kept aside with a failing check', async () => {
    await scenario.tellAgent([...tinyFix, { path: '.github/workflows/evil.yml', write: 'on: push\n' }]);
    const issue = await scenario.ask();
    const task = await scenario.until(issue, 'halted', (one) => one.phase === 'halted' && one.settled);
    expect(task.refused?.findings.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['R0', 'R1']));
    expect(task.candidate).toBeNull();
    const names = await refs();
    expect(names).not.toContain(`refs/heads/ccd/task/${issue}`);
    expect(names).toContain(`refs/ccd/refused/${issue}.1.1`);
    expect(checksOn(task.refused?.commit ?? '').map((check) => check.conclusion)).toEqual(['failure']);
    expect(await scenario.trunk()).toBe(trunk);
  });

  it('a token written into a source file never leaves the worker', async () => {
    await scenario.tellAgent([...tinyFix, { path: 'src/add.js', append: `// ${fakeToken}\n` }]);
    const issue = await scenario.ask({ title: 'With a token' });
    await scenario.until(issue, 'halted', (one) => one.phase === 'halted' && one.settled);
    const objects = await gitText({
      gitDir: scenario.world.repo.git.dir,
      args: ['rev-list', '--objects', '--all', '--filter=blob:limit=1m'],
    });
    for (const oid of objects.split('\n').map((line) => line.split(' ')[0] ?? '')) {
      if (oid === '') continue;
      const content = await git({ gitDir: scenario.world.repo.git.dir, args: ['cat-file', '-p', oid] });
      expect(content.includes(fakeToken)).toBe(false);
    }
    expect(await scenario.trunk()).toBe(trunk);
  });

  it('an issue edited after the label starts nothing, and one whose labeller may not write neither', async () => {
    await scenario.tellAgent(tinyFix);
    const issue = await scenario.ask({ label: false });
    await editIssue(scenario.world.maintainer, scenario.repo, issue, { body: `${tinyTask.body}\n` });
    const { maintainer, stranger } = scenario.world;
    const add = {
      owner: scenario.repo.owner,
      repo: scenario.repo.name,
      issue_number: issue,
      labels: ['ccd:dispatch'],
    };
    await maintainer.write('POST /repos/{owner}/{repo}/issues/{issue_number}/labels', add, z.unknown());
    await editIssue(maintainer, scenario.repo, issue, { body: `${tinyTask.body}\n\nEvil.\n` });
    const task = await scenario.until(issue, 'withdrawn', (one) => one.phase === 'withdrawn');
    expect(task).toMatchObject({ reason: { code: 'edited-after-request' }, generation: 0 });
    await say(stranger, scenario.repo, issue, `/ccd confirm sha256:${'0'.repeat(64)}`);
    expect((await scenario.read()).tasks.get(issue)?.generation).toBe(0);
  });

  it('a hostile title and a hostile commit message in the work tree do nothing', async () => {
    await scenario.tellAgent([
      ...tinyFix,
      { sh: 'git add -A && git commit -qm "fixes #1 [skip ci]" && git merge -s ours -m x HEAD || true' },
    ]);
    const issue = await scenario.ask({ title: 'Closes #1 [skip ci] <!-- ccd:pull {} --> @maintainer' });
    const task = await scenario.until(issue, 'settled', (one) => one.settled, 120_000);
    expect(task.phase).toBe('landed');
    const log = await gitText({
      gitDir: scenario.world.repo.git.dir,
      args: ['log', '--format=%B', `${trunk}..main`],
    });
    expect(log).not.toMatch(/skip ci|fixes|closes/i);
    expect(scenario.world.repo.issues.get(1)?.state).toBe('open');
  });

  it('nobody but the app moves trunk or its refs', async () => {
    const url = new URL(`${scenario.world.github.url}/${scenario.repo.owner}/${scenario.repo.name}.git`);
    url.username = 'x-access-token';
    url.password = scenario.world.maintainerToken;
    const gitDir = scenario.world.repo.git.dir;
    const head = await scenario.trunk();
    for (const ref of [
      'refs/heads/main',
      'refs/heads/ccd/state',
      'refs/heads/ccd/queue/99',
      'refs/heads/ccd',
    ]) {
      const pushed = await git({ gitDir, args: ['push', '--force', url.href, `${head}~1:${ref}`] }).then(
        () => 'taken',
        (error: Error) => error.message,
      );
      expect(pushed, ref).toMatch(/GH013|rule violations|declined|refused/i);
    }
    expect(await scenario.trunk()).toBe(head);
  });
});
