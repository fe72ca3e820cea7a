import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  childKey,
  closeAll,
  json,
  onClose,
  openAccess,
  openGateway,
  openOn,
  request,
  stream,
  upstreamServer,
} from './support/gateway-world.ts';
import { selfSigned } from './support/self-signed.ts';

afterEach(closeAll);

/** Says something to the gateway byte for byte and returns all that comes back until the connection ends, or for so long. */
async function say(url: string, text: string | Buffer, ms = 2000): Promise<string> {
  const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1');
  onClose(() => socket.destroy());
  let heard = '';
  socket.on('data', (bytes) => {
    heard += bytes.toString('latin1');
  });
  socket.on('error', () => undefined);
  socket.write(text);
  await Promise.race([once(socket, 'close'), new Promise((resolve) => setTimeout(resolve, ms))]);
  return heard;
}

const body = JSON.stringify(request());
const post = (path: string, more = '', key = childKey) =>
  `POST ${path} HTTP/1.1\r\nhost: gateway\r\nx-api-key: ${key}\r\nconnection: close\r\ncontent-length: ${body.length}\r\n${more}\r\n${body}`;
const statusOf = (heard: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(heard)?.[1] ?? 0);

describe('what a child may ask for', () => {
  it('is two paths, spelled in one way', async () => {
    const { gateway, seen } = await openGateway((response) => json(response));
    const others = [
      '/v1/messages/../messages',
      '//v1/messages',
      '/v1//messages',
      '/v1/messages/',
      '/v1/%6dessages',
      '/v1/messages%2e',
      '/v1/messages/%2e%2e/files',
      '/v1/./messages',
      '/v1/messages;x=1',
      '/v1/messages#x',
      '/V1/messages',
      '/v1/messages/batches',
      '/v1/files',
      'http://example.com/v1/messages',
      `${gateway.url}/v1/messages`,
      '*',
    ];
    for (const path of others)
      expect([path, statusOf(await say(gateway.url, post(path)))]).toEqual([path, 404]);
    expect(seen).toEqual([]);
    expect(statusOf(await say(gateway.url, post('/v1/messages')))).toBe(200);
    expect(seen.length).toBe(1);
  });

  it('has no other query than the beta mark, no header that speaks to what lies behind', async () => {
    const { gateway, seen } = await openGateway((response) => json(response));
    const more = [
      'anthropic-beta: one',
      'x-stainless-lang: js',
      'x-goog-user-project: other',
      'x-amz-security-token: other',
      'x-forwarded-for: 1.2.3.4',
      'cookie: a=b',
      'authorization: Bearer other',
      'anthropic-workspace: w',
      'connection: x-app',
      'te: trailers',
    ];
    await say(
      gateway.url,
      post('/v1/messages?beta=true&key=x&url=http://example.com', `${more.join('\r\n')}\r\n`),
    );
    expect(seen[0]?.path).toBe('/v1/messages?beta=true');
    expect(Object.keys(seen[0]?.headers ?? {}).sort()).toEqual([
      'accept-encoding',
      'anthropic-beta',
      'connection',
      'content-length',
      'host',
      'x-api-key',
      'x-stainless-lang',
    ]);
    expect(seen[0]?.headers['x-api-key']).toBe('sk-real-key-one');
  });

  it('is nothing without its key: another process of the machine finds a closed door', async () => {
    const { gateway, seen } = await openGateway((response) => json(response));
    for (const key of ['', 'guess', `${childKey}x`, childKey.slice(1)])
      expect(statusOf(await say(gateway.url, post('/v1/messages', '', key)))).toBe(403);
    const endless = `POST /v1/messages HTTP/1.1\r\nhost: g\r\ncontent-length: 100000000000\r\n\r\n${'a'.repeat(100_000)}`;
    expect(statusOf(await say(gateway.url, endless))).toBe(403);
    expect(seen).toEqual([]);
  });
});

describe('what a child may send', () => {
  it.each<[string, string]>([
    ['two lengths', 'content-length: 5\r\n'],
    ['a length and chunks', 'transfer-encoding: chunked\r\n'],
    ['a folded transfer encoding', 'transfer-encoding:\r\n chunked\r\n'],
    ['an odd transfer encoding', 'transfer-encoding: xchunked\r\n'],
  ])('is no second request hidden by %s', async (_what, more) => {
    const { gateway, seen } = await openGateway((response) => json(response));
    const smuggled = `${post('/v1/messages', more)}POST /v1/messages HTTP/1.1\r\nhost: g\r\nx-api-key: ${childKey}\r\ncontent-length: 2\r\n\r\n{}`;
    expect(statusOf(await say(gateway.url, smuggled))).toBeGreaterThanOrEqual(400);
    expect(seen).toEqual([]);
  });

  it('is framed anew: chunks arrive as one body with a length', async () => {
    const { gateway, seen } = await openGateway((response) => json(response));
    const chunks = [body.slice(0, 10), body.slice(10)].map(
      (part) => `${part.length.toString(16)};x=y\r\n${part}\r\n`,
    );
    const head = `POST /v1/messages HTTP/1.1\r\nhost: g\r\nx-api-key: ${childKey}\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n`;
    expect(statusOf(await say(gateway.url, `${head}${chunks.join('')}0\r\ntrailer: x\r\n\r\n`))).toBe(200);
    expect(String(seen[0]?.body)).toBe(body);
    expect(seen[0]?.headers).toMatchObject({ 'content-length': String(body.length) });
    expect(seen[0]?.headers['transfer-encoding']).toBeUndefined();
  });

  it('may be announced, pipelined, or an upgrade that nobody grants', async () => {
    const { gateway, seen } = await openGateway((response) => stream(response));
    const announced = await say(gateway.url, post('/v1/messages', 'expect: 100-continue\r\n'));
    expect(announced).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200/);
    const first = post('/v1/messages').replace('connection: close\r\n', '');
    const both = await say(gateway.url, first + post('/v1/messages'));
    expect(both.match(/HTTP\/1\.1 200/g)?.length).toBe(2);
    const upgrade = post('/v1/messages', 'upgrade: websocket\r\n').replace(
      'connection: close',
      'connection: upgrade',
    );
    expect(statusOf(await say(gateway.url, upgrade, 1000))).not.toBe(101);
    expect(
      await say(gateway.url, 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n'),
    ).not.toMatch(/ 200/);
    for (const { headers } of seen) expect([headers.expect, headers.upgrade]).toEqual([undefined, undefined]);
  });

  it('has bounds: headers, body, what is under way at once', async () => {
    const { gateway, seen } = await openGateway(() => undefined);
    expect(statusOf(await say(gateway.url, post('/v1/messages', `x-big: ${'a'.repeat(40_000)}\r\n`)))).toBe(
      431,
    );
    const head = `POST /v1/messages HTTP/1.1\r\nhost: g\r\nx-api-key: ${childKey}\r\ncontent-length: 50000000\r\n\r\n`;
    const tooLarge = Buffer.concat([Buffer.from(head), Buffer.alloc(43_000_000, 'a')]);
    expect(statusOf(await say(gateway.url, tooLarge, 10_000))).toBe(413);
    for (const text of ['{', '[]', '{"model":5}', '{"model":"x y"}', 'null']) {
      const short = `POST /v1/messages HTTP/1.1\r\nhost: g\r\nx-api-key: ${childKey}\r\nconnection: close\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
      expect(statusOf(await say(gateway.url, short))).toBe(400);
    }
    expect(seen).toEqual([]);
    const many = Array.from({ length: 40 }, () => say(gateway.url, post('/v1/messages'), 1500));
    const statuses = (await Promise.all(many)).map(statusOf);
    expect(statuses.filter((status) => status === 429).length).toBe(40 - 24);
    expect(seen.length).toBe(24);
  });

  it('is left when it comes too slowly, and hinders nobody meanwhile', async () => {
    const { gateway, post: ask } = await openGateway((response) => json(response));
    const slow = Array.from({ length: 50 }, () =>
      say(gateway.url, `POST /v1/messages HTTP/1.1\r\nhost: g\r\nx-api-key: ${childKey}\r\ncontent-le`, 500),
    );
    expect((await ask()).status).toBe(200);
    await Promise.all(slow);
  });
});

describe('what comes from the upstream', () => {
  it('is never followed elsewhere with the key', async () => {
    const elsewhere = await upstreamServer((response) => json(response));
    for (const status of [301, 302, 303, 307, 308]) {
      const { post: ask } = await openGateway((response) => {
        response.writeHead(status, { location: `${elsewhere.url}/v1/messages`, 'set-cookie': 'a=b' });
        response.end();
      });
      const answer = await ask();
      expect([answer.status, answer.headers.get('location'), answer.headers.get('set-cookie')]).toEqual([
        502,
        null,
        null,
      ]);
    }
    expect(elsewhere.seen).toEqual([]);
  });

  it('may be a page in place of an answer', async () => {
    const { post: ask, gateway } = await openGateway((response) => {
      response.writeHead(502, { 'content-type': 'text/html', 'anthropic-organization-id': 'org-secret' });
      response.end('<html>bad gateway</html>');
    });
    const answer = await ask();
    expect([answer.status, await answer.text()]).toEqual([502, '<html>bad gateway</html>']);
    expect(answer.headers.get('anthropic-organization-id')).toBeNull();
    expect(gateway.totals).toMatchObject({ answers: 0, microUsd: 0 });
  });

  it('is not taken from a server that nobody vouches for, whatever the environment says', async () => {
    let asked = 0;
    const server = createTlsServer(selfSigned(), (_request, response) => {
      asked += 1;
      json(response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onClose(() => server.close());
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    onClose(() => {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    });
    const access = await openAccess(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const { post: ask, events } = await openOn(access);
    await expect(ask()).rejects.toThrow();
    expect(asked).toBe(0);
    expect(events).toEqual([{ type: 'model-unreachable', code: expect.stringMatching(/CERT/) }]);
  });

  it('may have closed an idle connection: the child notices nothing, and a new one that is closed is told', async () => {
    const { server, url, seen } = await upstreamServer((response) => json(response));
    const asked = new Map<Socket, number>();
    let closeAlways = false;
    server.on('request', ({ socket }) => {
      asked.set(socket, (asked.get(socket) ?? 0) + 1);
      if (closeAlways || (asked.get(socket) ?? 0) > 1) socket.destroy();
    });
    const { post: ask, lines } = await openOn(await openAccess(url));
    for (let count = 0; count < 3; count += 1) await (await ask()).text();
    expect(lines.map(({ end }) => end)).toEqual(['answered', 'answered', 'answered']);
    closeAlways = true;
    await expect(ask()).rejects.toThrow();
    expect(asked.size).toBeGreaterThanOrEqual(3);
    expect(seen.length).toBeLessThanOrEqual(7);
  });

  it('may break off at any place: the child sees it broken off, too', async () => {
    const { post: ask, lines } = await openGateway((response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"a":', () => response.destroy());
    });
    await expect(ask().then((answer) => answer.text())).rejects.toThrow();
    await expect.poll(() => lines.map(({ end }) => end)).toEqual(['broke-off']);
  });
});
