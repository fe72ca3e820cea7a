import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalWorld, openWorld } from '../../contract/support/local-world.ts';

const r = { owner: 'acme', repo: 'demo' };
let world: LocalWorld;
let now = Date.parse('2026-01-01T00:00:00Z');

beforeAll(async () => {
  world = await openWorld({ validate: 'off', now: () => now });
});

afterAll(async () => {
  await world.close();
});

const ask = <T>(query: string, variables: object = {}) =>
  world.asWriter.graphql<T>(query, variables as Record<string, unknown>);

it('shows issues with labels, labelled events, edits and comments', async () => {
  const { issues } = world.asOwner.rest;
  const { number, id } = (await issues.create({ ...r, title: 'T', body: 'first', labels: ['ccd:dispatch'] }))
    .data;
  const comment = await world.asWriter.rest.issues.createComment({ ...r, issue_number: number, body: 'c' });
  now += 5_000;
  await issues.update({ ...r, issue_number: number, title: 'T2' });
  const query = `query($number: Int!) { repository(owner: "acme", name: "demo") { issue(number: $number) {
    number fullDatabaseId state lastEditedAt author { __typename login ... on User { databaseId } }
    labels(first: 10) { nodes { name } }
    timelineItems(itemTypes: [LABELED_EVENT], last: 5) { nodes { ... on LabeledEvent { createdAt label { name } } } }
    comments(first: 10) { nodes { databaseId body author { login } lastEditedAt } }
  } } }`;
  type Answer = { repository: { issue: Record<string, unknown> } };
  const before = (await ask<Answer>(query, { number })).repository.issue;
  expect(before).toEqual({
    number,
    fullDatabaseId: String(id),
    state: 'OPEN',
    lastEditedAt: null,
    author: { __typename: 'Organization', login: 'acme' },
    labels: { nodes: [{ name: 'ccd:dispatch' }] },
    timelineItems: { nodes: [{ createdAt: '2026-01-01T00:00:00Z', label: { name: 'ccd:dispatch' } }] },
    comments: {
      nodes: [{ databaseId: comment.data.id, body: 'c', author: { login: 'wendy' }, lastEditedAt: null }],
    },
  });
  await issues.update({ ...r, issue_number: number, body: 'second' });
  const after = (await ask<Answer>(query, { number })).repository.issue;
  expect(after.lastEditedAt).toBe('2026-01-01T00:00:05Z');
});

it('pages by cursor and filters by label and state', async () => {
  for (const title of ['a', 'b', 'c'])
    await world.asOwner.rest.issues.create({ ...r, title, labels: ['page'] });
  const query = `query($after: String) { repository(owner: "acme", name: "demo") {
    issues(labels: ["page"], states: [OPEN], first: 2, after: $after) { totalCount nodes { title } pageInfo { hasNextPage endCursor } }
  } }`;
  type Page = {
    totalCount: number;
    nodes: { title: string }[];
    pageInfo: { hasNextPage: boolean; endCursor: string };
  };
  const first = (await ask<{ repository: { issues: Page } }>(query)).repository.issues;
  expect([first.totalCount, first.nodes.map((one) => one.title), first.pageInfo.hasNextPage]).toEqual([
    3,
    ['a', 'b'],
    true,
  ]);
  const second = (await ask<{ repository: { issues: Page } }>(query, { after: first.pageInfo.endCursor }))
    .repository.issues;
  expect([second.nodes.map((one) => one.title), second.pageInfo.hasNextPage]).toEqual([['c'], false]);
});

it('answers aliases of missing things with null beside the data', async () => {
  const failing = ask(
    '{ repository(owner: "acme", name: "demo") { a: issue(number: 1) { number } b: issue(number: 999) { number } } }',
  );
  await expect(failing).rejects.toMatchObject({
    data: { repository: { a: { number: 1 }, b: null } },
    errors: [{ type: 'NOT_FOUND', path: ['repository', 'b'] }],
  });
});

it('refuses what GitHub’s schema does not have, unbounded and oversized pages', async () => {
  await expect(ask('{ repository(owner: "acme", name: "demo") { nope } }')).rejects.toThrow(
    'Cannot query field "nope"',
  );
  const issues = (args: string) =>
    ask(`{ repository(owner: "acme", name: "demo") { issues${args} { totalCount } } }`);
  await expect(issues('')).rejects.toThrow('You must provide a `first` or `last` value');
  await expect(issues('(first: 101)')).rejects.toThrow('exceeds the `first` limit of 100');
  await expect(ask('{ repository(owner: "acme", name: "none") { id } }')).rejects.toThrow(
    'Could not resolve to a Repository',
  );
});

it('finds nodes by their global id', async () => {
  const { node_id: id } = (await world.asWriter.rest.issues.get({ ...r, issue_number: 1 })).data;
  const found = await ask<{ node: { number: number } }>(
    'query($id: ID!) { node(id: $id) { ... on Issue { number } } }',
    { id },
  );
  expect(found.node.number).toBe(1);
  await expect(ask('{ node(id: "I_nope") { id } }')).rejects.toThrow('Could not resolve to a node');
});
