import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { currentJobs, type RunRecord } from '../../../../src/local/actions/runs/records.ts';
import { type ActionsWorld, jobOf, logText, openWorld, processesOf } from './support/actions-world.ts';

let world: ActionsWorld;
beforeAll(async () => {
  world = await openWorld();
  world.runner();
});
afterAll(() => world.close());

const conclusions = (run: RunRecord) =>
  Object.fromEntries(currentJobs(run).map((job) => [job.name, job.conclusion]));

describe('a workflow run', () => {
  it('hands outputs from step to step and from job to job', async () => {
    const run = await world.runWorkflow(`
on: push
jobs:
  first:
    runs-on: ubuntu-latest
    outputs:
      word: \${{ steps.make.outputs.word }}
    steps:
      - id: make
        run: |
          echo "word=hello" >> "$GITHUB_OUTPUT"
          echo "SEEN=yes" >> "$GITHUB_ENV"
          mkdir -p bin && printf '#!/bin/sh\\necho tool-ran' > bin/tool && chmod +x bin/tool
          echo "$PWD/bin" >> "$GITHUB_PATH"
          echo '# summary' >> "$GITHUB_STEP_SUMMARY"
      - run: test "$SEEN" = yes && tool && test "\${{ env.SEEN }}" = yes
  second:
    needs: first
    runs-on: [self-hosted, linux]
    steps:
      - run: echo "got=\${{ needs.first.outputs.word }}/\${{ needs.first.result }}"
`);
    expect(run.conclusion).toBe('success');
    expect(logText(jobOf(run, 'second'))).toContain('got=hello/success');
    expect(logText(jobOf(run, 'first'))).toContain('tool-ran');
    expect(jobOf(run, 'first').summary).toBe('# summary\n');
    for (const job of currentJobs(run)) expect(processesOf(job)).toEqual([]);
  });

  it('skips what depends on a failure, runs what asks for it, and fails', async () => {
    const run = await world.runWorkflow(`
on: push
jobs:
  breaks:
    runs-on: ubuntu-latest
    steps:
      - run: exit 3
      - run: echo never
      - if: failure()
        run: echo saw-failure
      - if: always()
        run: echo job-status=\${{ job.status }}
  after: {needs: breaks, runs-on: ubuntu-latest, steps: [{run: echo no}]}
  tail: {needs: after, runs-on: ubuntu-latest, steps: [{run: echo no}]}
  report:
    needs: [breaks, after]
    if: failure()
    runs-on: ubuntu-latest
    steps: [{run: 'echo "breaks=\${{ needs.breaks.result }} after=\${{ needs.after.result }}"'}]
  chained:
    needs: report
    runs-on: ubuntu-latest
    steps: [{run: echo no}]
`);
    expect(run.conclusion).toBe('failure');
    // A job whose direct need succeeded is still skipped when the chain behind it holds a failure.
    expect(conclusions(run)).toEqual({
      breaks: 'failure',
      after: 'skipped',
      tail: 'skipped',
      report: 'success',
      chained: 'skipped',
    });
    const log = logText(jobOf(run, 'breaks'));
    expect(log).toContain('saw-failure');
    expect(log).toContain('job-status=failure');
    expect(log).not.toContain('\nnever');
    expect(log).toContain('##[error]Process completed with exit code 3.');
    expect(logText(jobOf(run, 'report'))).toContain('breaks=failure after=skipped');
    expect(jobOf(run, 'breaks').steps.map((step) => step.conclusion)).toEqual([
      'success',
      'failure',
      'skipped',
      'success',
      'success',
      'success',
    ]);
  });

  it('goes on after a failure that may happen', async () => {
    const run = await world.runWorkflow(`
on: push
jobs:
  step:
    runs-on: ubuntu-latest
    steps:
      - id: bad
        continue-on-error: true
        run: exit 1
      - run: echo "\${{ steps.bad.outcome }}/\${{ steps.bad.conclusion }}"
  job:
    runs-on: ubuntu-latest
    continue-on-error: true
    steps: [{run: exit 1}]
  after:
    needs: [job]
    runs-on: ubuntu-latest
    steps: [{run: echo here}]
`);
    expect(run.conclusion).toBe('success');
    expect(logText(jobOf(run, 'step'))).toContain('failure/success');
    expect(jobOf(run, 'job').conclusion).toBe('failure');
    expect(jobOf(run, 'after').conclusion).toBe('success');
  });

  it('expands a matrix with include and exclude', async () => {
    const run = await world.runWorkflow(`
on: push
jobs:
  cells:
    strategy:
      fail-fast: false
      matrix:
        os: [a, b]
        v: [1, 2]
        exclude: [{os: b, v: 2}]
        include: [{os: a, v: 1, extra: yes}, {os: c, v: 9}]
    runs-on: ubuntu-latest
    steps:
      - run: echo "cell=\${{ matrix.os }}\${{ matrix.v }}\${{ matrix.extra }} \${{ strategy.job-index }}/\${{ strategy.job-total }}"
`);
    expect(currentJobs(run).map((job) => job.name)).toEqual([
      'cells (a, 1, yes)',
      'cells (a, 2)',
      'cells (b, 1)',
      'cells (c, 9)',
    ]);
    expect(logText(currentJobs(run)[3]!)).toContain('cell=c9 3/4');
  });

  it('stops the rest of a matrix when one cell fails, unless told otherwise', async () => {
    const run = await world.runWorkflow(`
on: push
jobs:
  cells:
    strategy: {matrix: {n: [0, 1, 2, 3, 4]}, max-parallel: 1}
    runs-on: ubuntu-latest
    steps: [{run: 'exit \${{ matrix.n }}'}]
`);
    expect(currentJobs(run).map((job) => job.conclusion)).toEqual([
      'success',
      'failure',
      'cancelled',
      'cancelled',
      'cancelled',
    ]);
  });

  it('masks secrets in logs and keeps outputs that hold one to itself', async () => {
    world.repo.secrets.set('KEY', 'hunter2-hunter2');
    world.repo.variables.set('COLOR', 'green');
    const run = await world.runWorkflow(`
on: push
env: {TOP: top}
jobs:
  a:
    runs-on: ubuntu-latest
    env: {KEY: '\${{ secrets.KEY }}'}
    outputs: {leak: '\${{ steps.s.outputs.leak }}', fine: ok}
    steps:
      - id: s
        run: |
          echo "key is $KEY, color is \${{ vars.COLOR }}, $TOP"
          echo "::add-mask::other-secret"
          echo "this is other-secret"
          echo "leak=$KEY" >> "$GITHUB_OUTPUT"
          echo "token is \${{ github.token }}"
          test -z "\${GITHUB_TOKEN:-}"
`);
    const log = logText(jobOf(run, 'a'));
    expect(run.conclusion).toBe('success');
    expect(log).toContain('key is ***, color is green, top');
    expect(log).toContain('this is ***');
    expect(log).not.toContain('hunter2');
    expect(log).not.toContain('ghs_');
    expect(jobOf(run, 'a').outputs).toEqual({ fine: 'ok' });
  });

  it('turns workflow commands into annotations on the check run', async () => {
    const run = await world.runWorkflow(`
on: push
jobs:
  a:
    name: Nice name
    runs-on: ubuntu-latest
    steps:
      - run: |
          echo "::error file=src/a.ts,line=3,endLine=4,col=2,title=Bad::no%0Agood"
          echo "::warning::careful"
          echo "::stop-commands::tok"
          echo "::notice::ignored"
          echo "::tok::"
          echo "::notice file=b.ts::heard"
`);
    const { data } = await world.octokit.rest.checks.listForRef({
      owner: 'ada',
      repo: 'demo',
      ref: run.cause.headSha,
    });
    const check = data.check_runs.find((one) => one.id === jobOf(run, 'a').id);
    expect(check).toMatchObject({
      name: 'Nice name',
      status: 'completed',
      conclusion: 'success',
      app: { id: 15368, slug: 'github-actions' },
    });
    const annotations = await world.octokit.rest.checks.listAnnotations({
      owner: 'ada',
      repo: 'demo',
      check_run_id: check!.id,
    });
    expect(
      annotations.data.map((one) => [one.annotation_level, one.path, one.start_line, one.message]),
    ).toEqual([
      ['failure', 'src/a.ts', 3, 'no\ngood'],
      ['warning', '.github', 1, 'careful'],
      ['notice', 'b.ts', 1, 'heard'],
    ]);
  });

  it('ends a step, and a job, that take too long', async () => {
    const run = await world.runWorkflow(`
on: push
jobs:
  step:
    runs-on: ubuntu-latest
    steps:
      - timeout-minutes: \${{ fromJSON('0.005') }}
        run: sleep 600
      - if: failure()
        run: echo noticed
  job:
    runs-on: ubuntu-latest
    timeout-minutes: \${{ fromJSON('0.01') }}
    steps:
      - run: sleep 600
      - if: always()
        run: echo tidied
`);
    expect(jobOf(run, 'step').conclusion).toBe('failure');
    expect(logText(jobOf(run, 'step'))).toContain('noticed');
    expect(jobOf(run, 'job').conclusion).toBe('cancelled');
    expect(logText(jobOf(run, 'job'))).toContain('has exceeded the maximum execution time');
    expect(logText(jobOf(run, 'job'))).toContain('tidied');
    expect(currentJobs(run).flatMap(processesOf)).toEqual([]);
  });

  it('knows contexts, functions, shells and working directories', async () => {
    const run = await world.runWorkflow(
      `
name: The name
run-name: "Run \${{ github.ref_name }} by \${{ github.actor }}"
on: push
defaults: {run: {shell: bash}}
jobs:
  a:
    runs-on: ubuntu-latest
    permissions: {checks: write, contents: read}
    steps:
      - uses: actions/checkout@v4
      - run: |
          echo "hash=\${{ hashFiles('lock/*.json') }} none=\${{ hashFiles('nothing') }}"
          echo "\${{ format('{0}-{1}', github.event_name, github.event.head_commit.message) }}"
          echo "\${{ contains(fromJSON('["x","y"]'), 'y') && 'in' || 'out' }} \${{ toJSON(matrix) }}"
      - shell: python
        working-directory: lock
        run: |
          import os
          print("python in", os.path.basename(os.getcwd()))
      - shell: sh
        if: runner.os == 'Linux' && github.ref == 'refs/heads/main'
        run: echo "sha $GITHUB_SHA at $GITHUB_WORKSPACE api $GITHUB_API_URL server $GITHUB_SERVER_URL"
      - run: false | true
        continue-on-error: true
        id: pipe
      - run: 'echo pipe=\${{ steps.pipe.outcome }}; node -e "console.log(require(process.env.GITHUB_EVENT_PATH).ref)"'
`,
      { 'lock/a.json': '{}' },
    );
    const log = logText(jobOf(run, 'a'));
    expect(log).toContain('pipe=failure');
    expect(run.conclusion).toBe('success');
    expect(run.displayTitle).toBe('Run main by ada');
    expect(log).toMatch(/hash=[0-9a-f]{64} none=\n/);
    expect(log).toContain('push-Change');
    expect(log).toContain('in {}');
    expect(log).toContain('python in lock');
    expect(log).toContain(`sha ${run.cause.headSha}`);
    expect(log).toMatch(/server http:\/\/ccd\.localhost:\d+/);
    expect(log).toContain('pipe=failure');
    expect(log).toContain('refs/heads/main');
    expect(jobOf(run, 'a').permissions).toEqual({ checks: 'write', contents: 'read', metadata: 'read' });
  });

  it('reports an expression that cannot be evaluated', async () => {
    const run = await world.runWorkflow(`
on: push
jobs:
  a:
    runs-on: ubuntu-latest
    strategy: {matrix: {v: '\${{ fromJSON(github.ref) }}'}}
    steps: [{run: echo hi}]
`);
    expect(run.conclusion).toBe('failure');
    expect(jobOf(run, 'a').annotations[0]?.message).toContain('job a');
  });

  it('ends a composite action that takes too long without ending its job', async () => {
    const run = await world.runWorkflow(
      `
on: push
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - id: slow
        uses: ./.github/slow
        timeout-minutes: \${{ fromJSON('0.01') }}
        continue-on-error: true
      - run: echo "went on after \${{ steps.slow.outcome }}"
`,
      {
        '.github/slow/action.yml':
          'name: slow\nruns:\n  using: composite\n  steps:\n    - {shell: bash, run: echo quick}\n    - {shell: bash, run: sleep 600}\n',
      },
    );
    expect(run.conclusion).toBe('success');
    expect(logText(jobOf(run, 'a'))).toContain('went on after failure');
  });

  it('ends what other cells of a matrix call when one fails', async () => {
    const run = await world.runWorkflow(
      `
on: push
jobs:
  call:
    strategy: {matrix: {fail: [true, false]}}
    uses: ./.github/workflows/cell.yml
    with: {fail: "\${{ matrix.fail }}"}
`,
      {
        '.github/workflows/cell.yml': `
on: {workflow_call: {inputs: {fail: {type: boolean}}}}
jobs:
  x: {runs-on: ubuntu-latest, steps: [{run: 'if \${{ inputs.fail }}; then exit 1; fi; sleep 600'}]}
`,
      },
    );
    expect(conclusions(run)).toEqual({ 'call (true) / x': 'failure', 'call (false) / x': 'cancelled' });
  });

  it('sees that a job would wait for its own run, and for what nobody can evaluate', async () => {
    const run = await world.runWorkflow(`
on: push
concurrency: Same
jobs:
  a: {runs-on: ubuntu-latest, concurrency: same, steps: [{run: echo hi}]}
  b: {runs-on: ubuntu-latest, concurrency: {group: b, cancel-in-progress: "\${{ fromJSON('x') }}"}, steps: [{run: echo hi}]}
`);
    expect(conclusions(run)).toEqual({ a: 'cancelled', b: 'failure' });
    expect(jobOf(run, 'a').annotations[0]?.message).toContain("deadlock for concurrency group 'same'");
    expect(jobOf(run, 'b').annotations[0]?.message).toContain('concurrency: ');
    const broken = await world.runWorkflow(`
on: push
concurrency: "\${{ fromJSON('x') }}"
jobs:
  a: {runs-on: ubuntu-latest, steps: [{run: echo hi}]}
`);
    expect([broken.conclusion, broken.problems.join()]).toEqual([
      'startup_failure',
      expect.stringContaining('concurrency: '),
    ]);
    const both = await world.runWorkflow(`
on: push
concurrency: {group: g, cancel-in-progress: true, queue: max}
jobs:
  a: {runs-on: ubuntu-latest, steps: [{run: echo hi}]}
`);
    expect(both.conclusion).toBe('startup_failure');
  });
});
