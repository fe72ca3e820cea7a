import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHeardClock } from '../../../src/app/heard-clock.ts';

const noon = Date.parse('2026-11-30T12:00:00Z');
const hour = 3_600_000;

let server: Server;
let told: string;
beforeEach(async () => {
  server = createServer((_request, response) => {
    response.sendDate = false;
    if (told !== '') response.setHeader('date', told);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

/** A clock that was born at noon, after one answer that told a date, with the steady time at `steady`. */
async function afterAnswer(date: string, startMs: number): Promise<number> {
  told = date;
  const clock = createHeardClock(() => 0, startMs);
  const { port } = server.address() as AddressInfo;
  await clock.hearing(fetch)(`http://127.0.0.1:${port}/`);
  return clock.now();
}

it('takes the time of the server, whether its own is an hour behind or a day ahead', async () => {
  const date = new Date(noon).toUTCString();
  expect(await afterAnswer(date, noon - hour)).toBe(noon);
  expect(await afterAnswer(date, noon + 24 * hour)).toBe(noon);
});

it('leaves small differences and answers without a date alone', async () => {
  expect(await afterAnswer(new Date(noon).toUTCString(), noon + 3000)).toBe(noon + 3000);
  expect(await afterAnswer('', noon + hour)).toBe(noon + hour);
  expect(await afterAnswer('yesterday', noon + hour)).toBe(noon + hour);
});

it('goes on steadily between answers, whatever is done to the clock of the host', () => {
  let steady = 500;
  const clock = createHeardClock(() => steady, noon);
  steady += 1500;
  expect(clock.now()).toBe(noon + 1500);
});
