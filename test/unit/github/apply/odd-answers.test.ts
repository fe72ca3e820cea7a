import nock from 'nock';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { createPull } from '../../../../src/github/apply/create-pull.ts';
import { dispatchWorkflow } from '../../../../src/github/apply/dispatch-workflow.ts';
import { markReady } from '../../../../src/github/apply/mark-ready.ts';
import { observeRulesets } from '../../../../src/github/observe/rulesets.ts';
import { host, noon, repo, testClient } from '../api-client.ts';
import { assertAllAsked, isolate } from '../nock-client.ts';

beforeAll(isolate);
afterEach(assertAllAsked);

const pull = { head: 'ccd/task/1', base: 'main', title: 't', body: 'b', draft: true };

it('opens a ready pull request where the plan has no drafts, and says so', async () => {
  const message = 'Draft pull requests are not supported in this repository.';
  nock(host)
    .post('/repos/octo/demo/pulls', (body: { draft: boolean }) => body.draft)
    .reply(422, { message });
  nock(host)
    .post('/repos/octo/demo/pulls', (body: { draft: boolean }) => !body.draft)
    .reply(201, { number: 3, id: 30, node_id: 'PR_3', draft: false });
  expect(await createPull(testClient().client, repo, pull)).toEqual({
    kind: 'done',
    number: 3,
    id: 30,
    nodeId: 'PR_3',
    draft: false,
  });
});

it('does not open a second one when the first answer was lost', async () => {
  nock(host).post('/repos/octo/demo/pulls').reply(502);
  const { client } = testClient();
  expect((await createPull(client, repo, pull)).kind).toBe('unclear');
  expect(client.counts().content).toBe(1);
});

it('takes a dispatch without details for done, run unknown', async () => {
  nock(host).post('/repos/octo/demo/actions/workflows/w.yml/dispatches').reply(204);
  const dispatch = { workflow: 'w.yml', ref: 'refs/heads/ccd/run', inputs: {} } as const;
  expect(await dispatchWorkflow(testClient().client, repo, dispatch)).toEqual({ kind: 'done', runId: null });
});

it('asks for the full ref and for the details of the run', async () => {
  nock(host)
    .post('/repos/octo/demo/actions/workflows/w.yml/dispatches', {
      ref: 'refs/heads/ccd/run',
      inputs: { attempt: '1.1' },
      return_run_details: true,
    })
    .reply(200, { workflow_run_id: 77, run_url: 'u', html_url: 'h' });
  const dispatch = { workflow: 'w.yml', ref: 'refs/heads/ccd/run', inputs: { attempt: '1.1' } } as const;
  expect(await dispatchWorkflow(testClient().client, repo, dispatch)).toEqual({ kind: 'done', runId: 77 });
});

it('tells a GraphQL rate limit by its time', async () => {
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(noon / 1000 + 40) };
  nock(host)
    .post('/graphql')
    .reply(200, { errors: [{ type: 'RATE_LIMITED', message: 'exceeded' }] }, headers);
  expect(await markReady(testClient().client, 'PR_1')).toEqual({
    kind: 'rate-limited',
    retryAtMs: noon + 40_000,
  });
});

it('says that a plan has no rulesets', async () => {
  const message = 'Upgrade to GitHub Pro or make this repository public to enable this feature.';
  nock(host).get('/repos/octo/demo/rulesets').query(true).reply(403, { message });
  expect(await observeRulesets(testClient().client, repo)).toMatchObject({
    kind: 'unavailable',
    reason: expect.stringContaining('Upgrade') as string,
  });
});

it('fails to read rulesets when the server fails, and calls nothing unavailable', async () => {
  nock(host).get('/repos/octo/demo/rulesets').query(true).thrice().reply(500);
  await expect(observeRulesets(testClient().client, repo)).rejects.toMatchObject({ code: 'github.unclear' });
});
