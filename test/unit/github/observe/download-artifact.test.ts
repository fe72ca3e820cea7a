import nock from 'nock';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { downloadArtifact } from '../../../../src/github/observe/download-artifact.ts';
import { host, repo, testClient } from '../api-client.ts';
import { assertAllAsked, isolate } from '../nock-client.ts';

const storage = 'http://storage.test';

beforeAll(isolate);
afterEach(assertAllAsked);

function redirect() {
  nock(host)
    .get('/repos/octo/demo/actions/artifacts/5/zip')
    .reply(302, undefined, { location: `${storage}/blob?signature=s` });
}

const download = (maxBytes = 100) => downloadArtifact(testClient().client, repo, 5, { maxBytes });

it('sends our token to GitHub and to no other host', async () => {
  redirect();
  nock(storage, { badheaders: ['authorization'] })
    .get('/blob?signature=s')
    .reply(200, 'zip');
  const got = await download();
  expect(got.kind === 'done' && Buffer.from(got.bytes).toString()).toBe('zip');
});

it('stops at the limit whatever length was announced', async () => {
  redirect();
  nock(storage).get('/blob?signature=s').reply(200, 'x'.repeat(101), { 'x-length': '3' });
  expect(await download()).toEqual({ kind: 'too-large', maxBytes: 100 });
});

it.each([
  [404, { kind: 'gone' }],
  [410, { kind: 'gone' }],
  [503, { kind: 'unclear', cause: 'the storage answered 503' }],
])('takes the storage answering %i for what it says', async (status, expected) => {
  redirect();
  nock(storage).get('/blob?signature=s').reply(status, 'no');
  expect(await download()).toEqual(expected);
});

it('is gone when GitHub says that it expired', async () => {
  nock(host).get('/repos/octo/demo/actions/artifacts/5/zip').reply(410, { message: 'Artifact has expired' });
  expect(await download()).toEqual({ kind: 'gone' });
});

it('is unclear when the storage cannot be reached', async () => {
  redirect();
  nock(storage).get('/blob?signature=s').replyWithError('refused');
  expect(await download()).toMatchObject({ kind: 'unclear' });
});
