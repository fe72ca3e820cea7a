import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { currentJobs } from '../../../../src/local/actions/runs/records.ts';
import { type ActionsWorld, jobOf, logText, openWorld } from './support/actions-world.ts';

const CALLED = `
on:
  workflow_call:
    inputs:
      who: {type: string, required: true}
      loud: {type: boolean, default: false}
    secrets:
      KEY: {required: true}
    outputs:
      word: {value: "\${{ jobs.two.outputs.word }}"}
env: {OWN: own}
defaults: {run: {working-directory: sub}}
permissions: {contents: write, issues: write}
jobs:
  one:
    runs-on: ubuntu-latest
    outputs: {made: "\${{ steps.m.outputs.made }}"}
    steps:
      - run: mkdir sub
        working-directory: .
      - id: m
        run: |
          echo "made=\${{ inputs.who }}" >> "$GITHUB_OUTPUT"
          echo "in $(basename "$PWD") own=$OWN outer=\${OUTER:-none} other=\${{ secrets.OTHER || 'hidden' }} key=\${{ secrets.KEY == 'k-value-k' }} \${{ inputs.loud }} \${{ github.workflow }}"
  two:
    needs: one
    runs-on: ubuntu-latest
    outputs: {word: "\${{ needs.one.outputs.made }}!"}
    steps: [{run: echo two, working-directory: .}]
`;

let world: ActionsWorld;
beforeAll(async () => {
  world = await openWorld();
  world.runner();
  world.repo.secrets.set('REAL', 'k-value-k');
  world.repo.secrets.set('OTHER', 'o-value-o');
});
afterAll(() => world.close());

const names = (jobs: readonly { readonly name: string }[]) => jobs.map((job) => job.name);

describe('a workflow that calls another of the repository', () => {
  it('hands in inputs and named secrets, gets outputs back, and never gives more rights than it has', async () => {
    const run = await world.runWorkflow(
      `
name: Caller
on: push
env: {OUTER: outer}
jobs:
  before: {runs-on: ubuntu-latest, outputs: {who: world}, steps: [{run: echo hi}]}
  call:
    name: Call it
    needs: before
    permissions: {contents: read, checks: write}
    uses: ./.github/workflows/called.yml
    with: {who: "\${{ needs.before.outputs.who }}"}
    secrets: {KEY: "\${{ secrets.REAL }}"}
  after:
    needs: call
    runs-on: ubuntu-latest
    steps: [{run: 'echo "got=\${{ needs.call.outputs.word }} \${{ needs.call.result }}"'}]
`,
      { '.github/workflows/called.yml': CALLED },
    );
    expect(run.conclusion).toBe('success');
    expect(names(currentJobs(run))).toEqual(['before', 'Call it / one', 'Call it / two', 'after']);
    expect(logText(jobOf(run, 'one'))).toContain(
      'in sub own=own outer=none other=hidden key=true false Caller',
    );
    expect(logText(jobOf(run, 'after'))).toContain('got=world! success');
    expect(jobOf(run, 'one').permissions).toEqual({ contents: 'read', metadata: 'read' });
    expect(
      names(
        (await world.octokit.rest.checks.listForRef({ owner: 'ada', repo: 'demo', ref: run.cause.headSha }))
          .data.check_runs,
      ),
    ).toContain('Call it / one');
  });

  it('calls in a matrix, through several files, and inherits secrets', async () => {
    const run = await world.runWorkflow(
      `
on: push
jobs:
  many:
    strategy: {matrix: {who: [a, b]}}
    uses: ./.github/workflows/middle.yml
    with: {who: "\${{ matrix.who }}"}
    secrets: inherit
`,
      {
        '.github/workflows/middle.yml': `
on: {workflow_call: {inputs: {who: {type: string}}}}
jobs:
  deep:
    uses: ./.github/workflows/leaf.yml
    with: {who: "\${{ inputs.who }}"}
    secrets: inherit
`,
        '.github/workflows/leaf.yml': `
on: {workflow_call: {inputs: {who: {type: string}}}}
jobs:
  leaf: {runs-on: ubuntu-latest, steps: [{run: 'echo "\${{ inputs.who }} \${{ secrets.REAL == ''k-value-k'' }}"'}]}
`,
      },
    );
    expect(names(currentJobs(run))).toEqual(['many (a) / deep / leaf', 'many (b) / deep / leaf']);
    expect(currentJobs(run).map((job) => /^[ab] true$/m.exec(logText(job))?.[0])).toEqual([
      'a true',
      'b true',
    ]);
  });

  it('fails with it, skips with it, and runs it again as a whole', async () => {
    const run = await world.runWorkflow(
      `
on: push
jobs:
  ok: {uses: ./.github/workflows/two.yml}
  bad: {uses: ./.github/workflows/two.yml, with: {fail: true}}
  next: {needs: bad, runs-on: ubuntu-latest, steps: [{run: echo no}]}
  told: {needs: bad, if: failure(), runs-on: ubuntu-latest, steps: [{run: 'echo "\${{ needs.bad.result }}"'}]}
  never: {if: false, uses: ./.github/workflows/two.yml}
`,
      {
        '.github/workflows/two.yml': `
on: {workflow_call: {inputs: {fail: {type: boolean}}}}
jobs:
  x: {runs-on: ubuntu-latest, steps: [{run: 'echo attempt $GITHUB_RUN_ATTEMPT; test "\${{ inputs.fail }}" = false -o $GITHUB_RUN_ATTEMPT = 2'}]}
  y: {needs: x, runs-on: ubuntu-latest, steps: [{run: echo y}]}
`,
      },
    );
    const fates = () => Object.fromEntries(currentJobs(run).map((job) => [job.name, job.conclusion]));
    expect(run.conclusion).toBe('failure');
    expect(fates()).toEqual({
      'ok / x': 'success',
      'ok / y': 'success',
      'bad / x': 'failure',
      'bad / y': 'skipped',
      next: 'skipped',
      told: 'success',
      never: 'skipped',
    });
    world.actions.engine.rerun(run, { onlyFailed: true, actor: run.actor });
    await world.actions.completed(run.id);
    expect(run.conclusion).toBe('success');
    expect(fates()).toMatchObject({ 'bad / y': 'success', next: 'success', told: 'skipped' });
    const first = (name: string) => logText(currentJobs(run).find((job) => job.name === name)!);
    expect([first('ok / x'), first('bad / x')].map((log) => /attempt \d/.exec(log)?.[0])).toEqual([
      'attempt 1',
      'attempt 2',
    ]);
  });

  it('is refused by name when the call cannot be', async () => {
    const missing = await world.runWorkflow('on: push\njobs:\n  a: {uses: ./.github/workflows/none.yml}\n');
    expect(missing.conclusion).toBe('startup_failure');
    expect(missing.problems.join()).toContain('none.yml');
    const plain = await world.runWorkflow('on: push\njobs:\n  a: {uses: ./.github/workflows/plain.yml}\n', {
      '.github/workflows/plain.yml':
        'on: workflow_dispatch\njobs:\n  a: {runs-on: ubuntu-latest, steps: [{run: a}]}\n',
    });
    expect(plain.problems.join()).toContain('workflow_call');
    const run = await world.runWorkflow(`
on: push
jobs:
  noinput: {uses: ./.github/workflows/called.yml, secrets: {KEY: x}}
  nosecret: {uses: ./.github/workflows/called.yml, with: {who: x}}
  unknown: {uses: ./.github/workflows/called.yml, with: {who: x, what: y}, secrets: inherit}
  typed: {uses: ./.github/workflows/called.yml, with: {who: x, loud: perhaps}, secrets: inherit}
`);
    const said = Object.fromEntries(currentJobs(run).map((job) => [job.key, job.annotations[0]?.message]));
    expect(run.conclusion).toBe('failure');
    expect(said.noinput).toContain('Input who is required');
    expect(said.nosecret).toContain('Secret KEY is required');
    expect(said.unknown).toContain('Invalid input, what is not defined');
    expect(said.typed).toContain("with.loud: 'perhaps' is not a boolean");
  });
});
