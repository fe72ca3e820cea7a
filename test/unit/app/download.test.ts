import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { downloadFiles } from '../../../src/app/compute/download.ts';
import { newMemory, type RepositoryContext } from '../../../src/app/context.ts';

let server: Server;
let status: number;
beforeEach(async () => {
  server = createServer((_request, response) => response.writeHead(status).end('no archive'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

/** A repository whose artifacts lie in a storage that answers with `status`, by a clock that stands at `clock.now`. */
function world() {
  const clock = { now: 0 };
  const { port } = server.address() as AddressInfo;
  const context = {
    name: { owner: 'acme', name: 'shop' },
    client: { redirectOf: async () => `http://127.0.0.1:${port}/zip`, fetch },
    clock: { now: () => clock.now },
    memory: newMemory(),
  } as unknown as RepositoryContext;
  return { clock, download: () => downloadFiles(context, 7) };
}

const notDelivered = { code: 'github.artifact-not-delivered' };

it('an artifact that the storage never delivers is given up after an hour, not before', async () => {
  status = 500;
  const { clock, download } = world();
  for (let look = 0; look < 12; look += 1) await expect(download()).rejects.toMatchObject(notDelivered);
  clock.now = 59 * 60_000;
  await expect(download()).rejects.toMatchObject(notDelivered);
  clock.now = 60 * 60_000;
  expect(await download()).toEqual({ kind: 'unreadable', reason: 'artifact-not-delivered' });
});

it('an hour without any look in it gives up nothing', async () => {
  status = 503;
  const { clock, download } = world();
  await expect(download()).rejects.toMatchObject(notDelivered);
  clock.now = 24 * 60 * 60_000;
  await expect(download()).rejects.toMatchObject(notDelivered);
});

it.each([
  [404, 'artifact-gone'],
  [410, 'artifact-gone'],
  [200, 'artifact-malformed'],
])('what the storage says by %i is said once: %s', async (said, reason) => {
  status = said;
  expect(await world().download()).toEqual({ kind: 'unreadable', reason });
});
