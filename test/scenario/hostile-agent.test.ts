import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openIssue, say } from '../../src/cli/demo/people.ts';
import { readZip } from '../../src/git/read-zip.ts';
import { git, gitText } from '../../src/git/run-git.ts';
import { openScenario, type Scenario } from './support/scenario.ts';
import { fakeToken, tinyFix } from './support/tiny-project.ts';

/** What GitHub takes for "close this issue", in commit messages and in pull requests. */
const closes =
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:[\w.-]+\/[\w.-]+)?(?:(?:#|GH-)\d|https?:\/\/)/i;
const skips = /\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]|^skip-checks:/im;

describe('a hostile agent', () => {
  let scenario: Scenario;
  let trunk: string;
  beforeAll(async () => {
    scenario = await openScenario();
    await scenario.world.startApp();
    trunk = await scenario.trunk();
  });
  afterAll(() => scenario.close());

  const gitDir = () => scenario.world.repo.git.dir;
  const settled = (issue: number) => scenario.until(issue, 'settled', (one) => one.settled, 180_000);
  const objects = async (kind: string): Promise<string[]> => {
    const format = '--batch-check=%(objectname) %(objecttype)';
    const text = await gitText({ gitDir: gitDir(), args: ['cat-file', '--batch-all-objects', format] });
    return text.split('\n').flatMap((line) => (line.endsWith(` ${kind}`) ? [line.split(' ')[0] ?? ''] : []));
  };
  const messages = async (): Promise<string[]> => {
    const commits = await objects('commit');
    const shown = commits.map((commit) =>
      gitText({ gitDir: gitDir(), args: ['log', '-1', '--format=%B', commit] }),
    );
    return Promise.all(shown);
  };
  /** All that people or programs can read on GitHub, and the app's own files. */
  const everything = async (): Promise<Map<string, string>> => {
    const { repo, actions } = scenario.world;
    const seen = new Map<string, string>();
    for (const issue of repo.issues.values()) {
      seen.set(`issue ${issue.number}`, JSON.stringify([issue.title, issue.body, issue.pull?.headRef]));
      for (const comment of issue.comments) seen.set(`comment ${comment.id}`, comment.body);
    }
    for (const check of repo.checkRuns)
      seen.set(`check ${check.id}`, JSON.stringify([check.name, check.output, check.annotations]));
    for (const run of actions.engine.runs.values()) {
      for (const job of run.jobs)
        seen.set(
          `log ${run.id} ${job.name}`,
          JSON.stringify([job.log, job.summary, job.annotations, job.outputs]),
        );
      for (const artifact of actions.artifacts.ofRun(run)) {
        seen.set(`artifact name ${artifact.name}`, artifact.name);
        const zip = await readZip(artifact.data);
        if (zip.kind === 'refused') throw new Error(zip.detail);
        for (const [name, bytes] of zip.files)
          seen.set(`artifact ${artifact.name} ${name}`, bytes.toString('latin1'));
      }
    }
    seen.set('refs', (await repo.git.refs()).map(({ name }) => name).join('\n'));
    for (const path of filesBelow(join(scenario.dir, 'app'))) seen.set(path, readFileSync(path, 'latin1'));
    return seen;
  };

  it('gets a token out of the runner by no file, no word and no name', async () => {
    await scenario.tellAgent([
      { path: 'src/add.js', append: `// ${fakeToken}\n` },
      {
        sh: `echo ${fakeToken}; echo ${fakeToken} >&2; mkdir -p src/${fakeToken}; git add -A; git commit -qm ${fakeToken}; git branch ${fakeToken}`,
      },
      ...tinyFix,
    ]);
    const issue = await scenario.ask({ title: 'With a token' });
    const task = await settled(issue);
    expect(task).toMatchObject({ phase: 'halted', candidate: null });
    for (const [where, text] of await everything()) expect(text.includes(fakeToken), where).toBe(false);
    for (const kind of ['blob', 'commit', 'tree', 'tag'])
      for (const oid of await objects(kind)) {
        const bytes = await git({ gitDir: gitDir(), args: ['cat-file', kind, oid] });
        expect(bytes.includes(fakeToken), oid).toBe(false);
      }
    expect(
      [...(await everything()).keys()].filter((name) => name.startsWith(`artifact name ccd-tree-${issue}.`)),
    ).toEqual([]);
    expect(await scenario.trunk()).toBe(trunk);
  });

  it('closes nothing and skips nothing by titles, messages, merges and what it prints', async () => {
    const bystander = await openIssue(scenario.world.maintainer, scenario.repo, 'Not to be closed', 'Stays.');
    const evil = `fixes #${bystander} [skip ci]`;
    await scenario.tellAgent([
      {
        sh: [
          `git checkout -q -b other; echo x > other.txt; git add -A; git commit -qm "${evil}"; git checkout -q task`,
          `git commit -q --allow-empty -m "${evil}"; git merge -q -s ours -m "resolves #${bystander} [ci skip]" other`,
          `git tag v1; echo "##[set-output name=x]y"; echo "::error::Closes #${bystander}"; rm -f other.txt`,
        ].join('\n'),
      },
      ...tinyFix,
    ]);
    const issue = await scenario.ask({
      title: `Closes #${bystander} [skip ci] fixes: ${scenario.repo.owner}/${scenario.repo.name}#${bystander} resolves GH-${bystander} @maintainer`,
    });
    const task = await settled(issue);
    expect(task.phase).toBe('landed');
    const landed = task.landed?.commit ?? '';
    for (const message of await messages()) {
      expect(message).not.toMatch(closes);
      expect(message).not.toMatch(skips);
    }
    const candidate = task.candidate?.oid ?? '';
    const parents = await gitText({ gitDir: gitDir(), args: ['log', '-1', '--format=%P', candidate] });
    expect(parents).toBe(task.candidate?.base);
    const pull = scenario.world.repo.issues.get(task.pull?.number ?? 0);
    expect(pull?.pull?.merged).toBe(true);
    for (const text of [
      pull?.title ?? '',
      pull?.body ?? '',
      ...(pull?.comments ?? []).map(({ body }) => body),
    ]) {
      expect(text).not.toMatch(closes);
      expect(text).not.toMatch(skips);
    }
    // CI really ran, on the very commit that landed.
    const runs = [...scenario.world.actions.engine.runs.values()].filter(
      (run) => run.cause.headSha === landed,
    );
    expect(
      runs.map(({ workflow, cause, conclusion }) => [workflow.path, cause.event, conclusion]),
    ).toContainEqual(['.github/workflows/ci.yml', 'push', 'success']);
    expect(scenario.world.repo.issues.get(bystander)).toMatchObject({ state: 'open', comments: [] });
    expect(scenario.world.repo.issues.get(issue)?.state).toBe('closed');
  });

  it('is no way for a person either to land without CI: the build has a message of the app', async () => {
    const { maintainer, maintainerToken, github, repo } = scenario.world;
    const url = new URL(`${github.url}/${scenario.repo.owner}/${scenario.repo.name}.git`);
    url.username = 'x-access-token';
    url.password = maintainerToken;
    const work = join(scenario.dir, 'person');
    // Not synchronous: the server that git talks to lives in this process.
    const sh = async (script: string) => (await promisify(execFile)('sh', ['-ec', script])).stdout.trim();
    const commit = await sh(
      `git clone -q ${url.href} ${work}; cd ${work}; git checkout -q -b words; echo '# Tiny' > README.md; git add -A
       git -c user.name=p -c user.email=p@example.org commit -qm 'Readme [skip ci]'; git push -q origin words; git rev-parse HEAD`,
    );
    const made = await maintainer.write(
      'POST /repos/{owner}/{repo}/pulls',
      {
        owner: scenario.repo.owner,
        repo: scenario.repo.name,
        head: 'words',
        base: 'main',
        title: 'Readme [skip ci]',
        body: '',
      },
      z.object({ number: z.number() }),
    );
    if (made.kind !== 'done') throw new Error('no pull request');
    await say(maintainer, scenario.repo, made.data.number, `/ccd queue ${commit}`);
    await expect.poll(() => repo.issues.get(made.data.number)?.pull?.merged, { timeout: 120_000 }).toBe(true);
    const head = await scenario.trunk();
    const [message, parents] = (
      await gitText({ gitDir: gitDir(), args: ['log', '-1', '--format=%s%n%P', head] })
    ).split('\n');
    expect(message).toMatch(/^ccd: build \d+, try \d+$/);
    expect(parents?.split(' ')[1]).toBe(commit);
    const runs = [...scenario.world.actions.engine.runs.values()].filter((run) => run.cause.headSha === head);
    expect(runs.map(({ workflow, conclusion }) => [workflow.path, conclusion])).toContainEqual([
      '.github/workflows/ci.yml',
      'success',
    ]);
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
