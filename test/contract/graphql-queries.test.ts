import { schema } from '@octokit/graphql-schema';
import { buildSchema, parse, validate } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { createIssue } from '../../src/github/apply/create-issue.ts';
import { markReady } from '../../src/github/apply/mark-ready.ts';
import { observeEditors } from '../../src/github/observe/editors.ts';
import { observeIssues } from '../../src/github/observe/issues.ts';
import { type LocalWorld, openGitHub } from '../unit/github/local-world.ts';

let world: LocalWorld;
beforeAll(async () => {
  world = await openGitHub();
});
afterAll(() => world.close());

/** GitHub's whole published schema, not the part that is served here. */
// The packaged text defines two fields of a type twice, which the product never asks for.
const published = () => buildSchema(schema.idl, { assumeValidSDL: true });

it('every query that the product sends is one that GitHub’s published schema takes', async () => {
  const sent = new Set<string>();
  const Body = z.object({ query: z.string() });
  world.github.store.faults.before('graphql', ({ body }) => {
    sent.add(Body.parse(JSON.parse(body.toString('utf8'))).query);
    return undefined;
  });
  const search = { dispatchLabel: 'ccd:dispatch', consumed: new Map<number, number[]>() };
  const made = await createIssue(world.client, world.name, {
    title: 'x',
    body: 'y',
    labels: ['ccd:dispatch'],
  });
  if (made.kind !== 'done') throw new Error('The issue was not made.');
  await observeIssues(world.client, world.name, { ...search, numbers: [made.number, 77] });
  await observeIssues(world.client, world.name, { ...search, numbers: [] });
  await observeEditors(world.client, world.name, made.number);
  await markReady(world.client, 'PR_none');
  const whole = published();
  for (const query of sent) expect(validate(whole, parse(query)), query).toEqual([]);
  expect(sent.size).toBeGreaterThanOrEqual(4);
  process.stdout.write(`contract: ${sent.size} GraphQL queries of the product valid by GitHub's schema\n`);
  const broken = [...sent][0]!.replace(/\bnumber\b(?! *:)/, 'nummer');
  expect(validate(whole, parse(broken))).not.toEqual([]);
});
