import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ActionsWorld, openWorld } from './support/actions-world.ts';

let worlds: [ActionsWorld, ActionsWorld];
beforeAll(async () => {
  worlds = [await openWorld(), await openWorld()];
  for (const world of worlds) world.runner({});
});
afterAll(() => Promise.all(worlds.map((world) => world.close())));

const workflow = (command: string) =>
  `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: ${command}\n`;

it('jobs of two local GitHubs on one machine have the same ids, and the end of one is not the end of the other', async () => {
  const [slow, quick] = await Promise.all([
    worlds[0].runWorkflow(workflow('sleep 3 && echo done')),
    worlds[1].runWorkflow(workflow('exit 0')),
  ]);
  expect(slow.jobs[0]?.id).toBe(quick.jobs[0]?.id);
  expect([slow.conclusion, quick.conclusion]).toEqual(['success', 'success']);
});
