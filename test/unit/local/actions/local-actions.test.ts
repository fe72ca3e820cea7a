import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActionsWorld, jobOf, logText, openWorld } from './support/actions-world.ts';

const NODE_ACTION = `
name: tool
inputs:
  who: {required: true}
  mood: {default: "calm-\${{ github.event_name }}"}
outputs: {greeting: {}}
runs: {using: node20, main: main.js, pre: pre.js, post: post.js, post-if: success()}
`;
const WRITE = (name: string, line: string) =>
  `require('node:fs').appendFileSync(process.env.${name}, ${line} + '\\n');\n`;

let world: ActionsWorld;
beforeAll(async () => {
  world = await openWorld();
  const tool = join(world.scratch, 'tool');
  await mkdir(join(tool, 'sub'), { recursive: true });
  await writeFile(join(tool, 'action.yml'), NODE_ACTION);
  await writeFile(join(tool, 'pre.js'), `console.log('pre runs');\n${WRITE('GITHUB_STATE', "'early=1'")}`);
  await writeFile(
    join(tool, 'main.js'),
    `console.log('main', process.env.INPUT_WHO, process.env.INPUT_MOOD, process.env.STATE_early, !!process.env.ACTIONS_RUNTIME_TOKEN);
${WRITE('GITHUB_STATE', "'late=2'")}${WRITE('GITHUB_OUTPUT', "'greeting=hi ' + process.env.INPUT_WHO")}`,
  );
  await writeFile(
    join(tool, 'post.js'),
    `console.log('post', process.env.STATE_early, process.env.STATE_late);`,
  );
  await writeFile(
    join(tool, 'sub', 'action.yml'),
    `
name: pair
inputs: {x: {default: dflt}}
outputs: {both: {value: "\${{ steps.one.outputs.a }}+\${{ steps.two.outputs.greeting }}"}}
runs:
  using: composite
  steps:
    - id: one
      shell: bash
      run: echo "a=\${{ inputs.x }}" >> "$GITHUB_OUTPUT"; echo "at $(basename "$GITHUB_ACTION_PATH")"
    - id: two
      uses: acme/tool@v1
      with: {who: inner}
`,
  );
  world.runner({ actionMap: { 'acme/tool': tool } });
});
afterAll(() => world.close());

describe('actions', () => {
  it('runs a mapped JavaScript action in all its phases', async () => {
    const run = await world.runWorkflow(`
on: push
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: echo 'env has token? '"\${ACTIONS_RUNTIME_TOKEN:-no}"
      - id: t
        uses: Acme/tool@0123456789012345678901234567890123456789
        with: {who: world, typo: 1}
      - run: echo "\${{ steps.t.outputs.greeting }}!"
`);
    const log = logText(jobOf(run, 'a'));
    expect(run.conclusion).toBe('success');
    expect(log).toContain('env has token? no');
    expect(log.indexOf('pre runs')).toBeLessThan(log.indexOf('env has token?'));
    expect(log).toContain('main world calm-push 1 true');
    expect(log).toContain('hi world!');
    expect(log).toContain('post 1 2');
    expect(log).toContain("##[warning]Unexpected input(s) 'typo', valid inputs are ['who', 'mood']");
    expect(jobOf(run, 'a').steps.map((step) => step.name)).toEqual([
      'Set up job',
      'Pre Run Acme/tool@0123456789012345678901234567890123456789',
      'Run echo \'env has token? \'"${ACTIONS_RUNTIME_TOKEN:-no}"',
      'Run Acme/tool@0123456789012345678901234567890123456789',
      'Run echo "${{ steps.t.outputs.greeting }}!"',
      'Post Run Acme/tool@0123456789012345678901234567890123456789',
      'Complete job',
    ]);
  });

  it('runs composite actions, mapped and of the repository itself', async () => {
    const local = `
name: mine
runs:
  using: composite
  steps:
    - shell: bash
      run: exit 4
    - if: always()
      shell: bash
      run: echo "still \${{ github.action_status }}"
`;
    const run = await world.runWorkflow(
      `
on: push
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - id: p
        uses: acme/tool/sub@v1
      - run: echo "both=\${{ steps.p.outputs.both }}"
      - id: own
        uses: ./.github/mine
        continue-on-error: true
      - run: echo "own=\${{ steps.own.outcome }}"
`,
      { '.github/mine/action.yml': local },
    );
    const log = logText(jobOf(run, 'a'));
    expect(run.conclusion).toBe('success');
    expect(log).toContain('at sub');
    expect(log).toContain('both=dflt+hi inner');
    expect(log).toContain('still failure');
    expect(log).toContain('own=failure');
    expect(log).toContain('post ');
  });
});

describe('what the local runner does not know', () => {
  const refuse = async (yaml: string) => world.runWorkflow(yaml);

  it.each([
    ['container', 'container: node:20', 'jobs.a.container'],
    ['services', 'services: {db: {image: postgres}}', 'jobs.a.services'],
    ['snapshot', 'snapshot: mine', 'jobs.a.snapshot'],
  ])('refuses %s by name', async (_, line, name) => {
    const run = await refuse(`
on: push
jobs:
  a:
    runs-on: ubuntu-latest
    ${line}
    steps: [{run: echo hi}]
`);
    expect(run.conclusion).toBe('startup_failure');
    expect(run.problems.join()).toContain(`${name}: not supported by the local runner`);
    const checks = await world.octokit.rest.checks.listForRef({
      owner: 'ada',
      repo: 'demo',
      ref: run.cause.headSha,
    });
    const check = checks.data.check_runs.find((one) => one.name === '.github/workflows/ci.yml');
    expect(check?.conclusion).toBe('failure');
    const { data } = await world.octokit.rest.checks.listAnnotations({
      owner: 'ada',
      repo: 'demo',
      check_run_id: check!.id,
    });
    expect(data.map((one) => one.message).join()).toContain(name);
  });

  it('refuses reusable workflows, docker actions, foreign machines and unmapped actions by name', async () => {
    const reusable = await refuse('on: push\njobs:\n  a: {uses: acme/x/.github/workflows/y.yml@v1}\n');
    expect(reusable.problems.join()).toContain('jobs.a.uses: not supported');
    const run = await refuse(`
on: push
jobs:
  unmapped: {runs-on: ubuntu-latest, steps: [{run: echo never}, {uses: other/thing@v2}, {uses: 'docker://alpine'}]}
  foreign: {runs-on: windows-latest, steps: [{run: echo hi}]}
  unknown: {runs-on: big-machine, steps: [{run: echo hi}]}
  input: {runs-on: ubuntu-latest, steps: [{uses: actions/checkout@v4, with: {nonsense: 1}}]}
  shell: {runs-on: ubuntu-latest, steps: [{run: dir, shell: cmd}]}
`);
    expect(run.conclusion).toBe('failure');
    const unmapped = jobOf(run, 'unmapped').annotations.map((one) => one.message);
    expect(unmapped).toEqual([
      'other/thing@v2: the local runner knows no such action; map it in its configuration',
      'docker://alpine: container actions are not supported by the local runner',
    ]);
    expect(logText(jobOf(run, 'unmapped'))).not.toContain('\nnever');
    expect(jobOf(run, 'foreign').annotations[0]?.message).toContain('windows-latest');
    expect(jobOf(run, 'unknown').annotations[0]?.message).toContain('runs-on: big-machine');
    expect(jobOf(run, 'input').annotations[0]?.message).toContain('with.nonsense: not supported');
    expect(jobOf(run, 'shell').annotations[0]?.message).toContain('shell: cmd: not supported');
  });

  it('shows a file that GitHub itself would refuse as a failed run', async () => {
    const run = await refuse('on: push\njobs:\n  a: {runs-on: x, steps: [{run: echo, bogus: 1}]}\n');
    expect(run.conclusion).toBe('startup_failure');
    expect(run.problems.join()).toContain("Unexpected value 'bogus'");
  });
});
