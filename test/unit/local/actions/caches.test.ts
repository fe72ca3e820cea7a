import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunRecord } from '../../../../src/local/actions/runs/records.ts';
import { type ActionsWorld, jobOf, logText, openWorld } from './support/actions-world.ts';

const AT = { owner: 'ada', repo: 'demo' };

/** An action that speaks the protocol of `@actions/cache` (service version 2) word for word. */
const CLIENT = `
const { appendFileSync } = require('node:fs');
const call = async (method, body) => {
  const url = process.env.ACTIONS_RESULTS_URL + 'twirp/github.actions.results.api.v1.CacheService/' + method;
  const headers = { authorization: 'Bearer ' + process.env.ACTIONS_RUNTIME_TOKEN, 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, ...(await answer.json()) };
};
(async () => {
  const id = { key: process.env.INPUT_KEY, version: 'v1' };
  const found = await call('GetCacheEntryDownloadURL', { ...id, restore_keys: ['r'] });
  if (found.ok) console.log('found', found.matched_key, await (await fetch(found.signed_download_url)).text());
  else console.log('missed');
  const made = await call('CreateCacheEntry', id);
  console.log('create', made.status);
  if (made.status !== 200) return;
  const block = Buffer.from('b1').toString('base64');
  const put = (query, body) => fetch(made.signed_upload_url + query, { method: 'PUT', body });
  await put('&comp=block&blockid=' + encodeURIComponent(block), 'content of ' + id.key);
  await put('&comp=blocklist', '<BlockList><Latest>' + block + '</Latest></BlockList>');
  const size_bytes = String(('content of ' + id.key).length);
  console.log('short', (await call('FinalizeCacheEntryUpload', { ...id, size_bytes: '1' })).status);
  console.log('finalize', (await call('FinalizeCacheEntryUpload', { ...id, size_bytes })).status);
})();
`;

const ACTION = (more: string) => `
on: {push: {branches: ['**']}}
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
${more}
`;
const CACHED = ACTION(`
      - id: c
        uses: actions/cache@v4
        with:
          path: |
            stuff
            ~/.tool
            gen/*/out
          key: deps-\${{ hashFiles('lock') }}
          restore-keys: deps-
      - run: |
          echo "hit='\${{ steps.c.outputs.cache-hit }}' matched=\${{ steps.c.outputs.cache-matched-key && 'some' }} $(cat stuff/a ~/.tool/b gen/x/out/c 2>/dev/null | tr '\\n' ' ')"
          mkdir -p stuff ~/.tool gen/x/out
          echo "a-$GITHUB_REF_NAME" > stuff/a; echo b > ~/.tool/b; echo c > gen/x/out/c
`);

let world: ActionsWorld;
beforeAll(async () => {
  world = await openWorld();
  const client = join(world.scratch, 'client');
  await mkdir(client);
  await writeFile(
    join(client, 'action.yml'),
    'name: c\ninputs: {key: {}}\nruns: {using: node20, main: main.js}\n',
  );
  await writeFile(join(client, 'main.js'), CLIENT);
  world.runner({ actionMap: { 'acme/client': client } });
});
afterAll(() => world.close());

async function runOn(branch: string, files: Record<string, string>): Promise<RunRecord> {
  const sha = await world.push({ ...files, stamp: `${branch} ${Math.random()}` }, { branch });
  return world.actions.completed((await world.actions.waitForRun((one) => one.cause.headSha === sha)).id);
}
const log = (run: RunRecord) => logText(jobOf(run, 'a'));

describe('actions/cache', () => {
  const files = { '.github/workflows/ci.yml': CACHED, lock: '1' };

  it('restores what the same branch saved, and saves a key once', async () => {
    const first = await runOn('main', files);
    expect(log(first)).toContain("hit='' matched= \n");
    expect(log(first)).toContain('Cache saved with key: deps-');
    const second = await runOn('main', files);
    expect(log(second)).toContain("hit='true' matched=some a-main b c");
    expect(log(second)).toMatch(/Cache hit occurred on the primary key deps-\w+, not saving cache/);
    expect([first.conclusion, second.conclusion]).toEqual(['success', 'success']);
  });

  it('reads the default branch’s from another branch, and hides that one’s from its siblings', async () => {
    expect(log(await runOn('left', { ...files, lock: '2' }))).toContain(
      "hit='false' matched=some a-main b c",
    );
    expect(log(await runOn('left', { ...files, lock: '2' }))).toContain("hit='true' matched=some a-left b c");
    expect(log(await runOn('right', { ...files, lock: '2' }))).toContain(
      "hit='false' matched=some a-main b c",
    );
    expect(log(await runOn('main', { ...files, lock: '2' }))).toContain(
      "hit='false' matched=some a-main b c",
    );
  });

  it('saves nothing for a job that fails, and its halves work alone', async () => {
    const failing = await runOn('failing', {
      '.github/workflows/ci.yml': `${CACHED}\n      - run: exit 1\n`,
      lock: 'never',
    });
    expect(log(failing)).not.toContain('Cache saved');
    const halves = await runOn('halves', {
      '.github/workflows/ci.yml': ACTION(`
      - run: mkdir d && echo deep > d/f
      - uses: actions/cache/save@v4
        with: {path: d, key: half}
      - run: rm -r d
      - id: look
        uses: actions/cache/restore@v4
        with: {path: d, key: half, lookup-only: true}
      - run: test ! -e d && echo "looked \${{ steps.look.outputs.cache-hit }}"
      - uses: actions/cache/restore@v4
        with: {path: d, key: half}
      - run: cat d/f
      - uses: actions/cache/restore@v4
        with: {path: e, key: half, fail-on-cache-miss: true}
`),
    });
    expect(log(halves)).toContain('looked true');
    expect(log(halves)).toContain('\ndeep');
    expect(jobOf(halves, 'a').annotations[0]?.message).toContain('Failed to restore cache entry');
  });
});

describe('the cache service', () => {
  const files = (key: string) => ({
    '.github/workflows/ci.yml': ACTION(`
      - uses: acme/client@v1
        with: {key: ${key}}
`),
  });

  it('serves clients of its protocol in the same scopes', async () => {
    expect(log(await runOn('main', files('r-1')))).toMatch(/missed\ncreate 200\nshort 400\nfinalize 200/);
    expect(log(await runOn('main', files('r-1')))).toMatch(/found r-1 content of r-1\ncreate 409/);
    expect(log(await runOn('branch', files('r-2')))).toMatch(/found r-1 content of r-1\ncreate 200/);
    expect(log(await runOn('main', files('r-2')))).toMatch(/found r-1 content/);
  });

  it('is listed and cleared over REST', async () => {
    const { actions } = world.octokit.rest;
    const { data } = await actions.getActionsCacheList({ ...AT, key: 'r-', ref: 'refs/heads/main' });
    expect(data.actions_caches.map((one) => [one.key, one.ref, one.size_in_bytes])).toEqual([
      ['r-2', 'refs/heads/main', 14],
      ['r-1', 'refs/heads/main', 14],
    ]);
    await actions.deleteActionsCacheById({ ...AT, cache_id: data.actions_caches[0]!.id! });
    expect((await actions.deleteActionsCacheByKey({ ...AT, key: 'r-1' })).data.total_count).toBe(1);
    const left = await actions.getActionsCacheList({ ...AT, key: 'r-' });
    expect(left.data.actions_caches.map((one) => one.ref)).toEqual(['refs/heads/branch']);
    expect(log(await runOn('main', files('r-1')))).toContain('missed');
  });
});
