import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { currentJobs } from '../../../../src/local/actions/runs/records.ts';
import { type ActionsWorld, jobOf, logText, openWorld, processesOf } from './support/actions-world.ts';

let world: ActionsWorld;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

describe('runners', () => {
  it('serve only jobs whose labels they all have, and leave nothing behind without a namespace either', async () => {
    const sha = await world.push({
      '.github/workflows/ci.yml': `
on: push
jobs:
  here:
    runs-on: [self-hosted, Special]
    steps:
      - run: (setsid sh -c 'sleep 600' >/dev/null 2>&1 &) ; sleep 0.05; echo HOME=$HOME
  nowhere: {runs-on: [self-hosted, absent], steps: [{run: echo hi}]}
`,
    });
    const run = await world.actions.waitForRun((one) => one.cause.headSha === sha);
    expect(world.actions.unserved()).toHaveLength(2);
    world.runner({ labels: ['special'], namespace: 'off' });
    await world.actions.waitFor(run.id, (one) => jobOf(one, 'here').status === 'completed');
    const here = jobOf(run, 'here');
    expect(logText(here)).toContain('Processes: none');
    expect(logText(here)).toContain('Cleaning up orphan processes');
    expect(logText(here)).toContain(`HOME=${world.scratch}/work/job-${here.id}/_home`);
    expect(processesOf(here)).toEqual([]);
    expect(world.actions.unserved()).toEqual([jobOf(run, 'nowhere')]);
    world.actions.engine.cancel(run, false);
    expect([run.conclusion, jobOf(run, 'nowhere').conclusion]).toEqual(['cancelled', 'cancelled']);
  });

  it('run scheduled workflows when told that the time has come', async () => {
    await world.push({
      '.github/workflows/ci.yml': `
on: {schedule: [{cron: '0 3 * * *'}]}
jobs:
  a: {runs-on: ubuntu-latest, steps: [{run: 'echo "\${{ github.event_name }} \${{ github.event.schedule }}"'}]}
`,
    });
    const [run] = await world.actions.fireSchedule(world.repo);
    await world.actions.completed(run!.id);
    expect(logText(currentJobs(run!)[0]!)).toContain('schedule 0 3 * * *');
  });
});
