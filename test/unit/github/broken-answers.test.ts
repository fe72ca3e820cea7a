import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { testClient } from './api-client.ts';

const named = z.object({ name: z.string() });
let server: Server | null = null;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A real server: what happens to a connection cannot be shown by one that is intercepted. */
async function serve(listener: RequestListener): Promise<string> {
  const started = createServer(listener);
  server = started;
  await new Promise<void>((resolve) => {
    started.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
}

const json = { 'content-type': 'application/json' };

it('gives up on a server that never answers: unclear, for reads and writes', async () => {
  const baseUrl = await serve(() => undefined);
  const { client } = testClient({ baseUrl, timeoutMs: 50 });
  const unanswered = { kind: 'unclear', status: null };
  expect(await client.write('POST /a', {}, z.unknown())).toMatchObject({ failure: unanswered });
  await expect(client.read('GET /a', {}, named)).rejects.toMatchObject({ failure: unanswered });
  expect(client.counts()).toEqual({ read: 3, write: 1, content: 0 });
});

it('reads again when an answer broke off', async () => {
  let asked = 0;
  const baseUrl = await serve((_, response) => {
    asked += 1;
    if (asked > 1) response.writeHead(200, json).end('{"name":"whole"}');
    else response.writeHead(200, json).write('{"na', () => response.destroy());
  });
  expect(await testClient({ baseUrl }).client.read('GET /a', {}, named)).toEqual({ name: 'whole' });
});

it('takes a write whose answer broke off as unclear, and sends it once', async () => {
  let asked = 0;
  const baseUrl = await serve((_, response) => {
    asked += 1;
    response.writeHead(201, json).write('{"na', () => response.destroy());
  });
  expect(await testClient({ baseUrl }).client.write('POST /a', {}, z.unknown())).toMatchObject({
    kind: 'failed',
    failure: { kind: 'unclear', status: 201 },
  });
  expect(asked).toBe(1);
});
