import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readUpstream } from '../../../../src/worker/gateway/upstream-config.ts';
import { chunk, exception } from './support/aws-frames.ts';
import {
  apiError,
  closeAll,
  cost,
  events,
  json,
  message,
  openGateway,
  request,
  scratchFolder,
  stream,
  upstreamServer,
  usage,
} from './support/gateway-world.ts';
import { expectedSignature, shownSignature } from './support/verify-sigv4.ts';

afterEach(closeAll);

// Put together here, so that this file holds nothing shaped like a key.
const accessKey = `${'AK'}IAIOSFODNN7EXAMPLE`;
const secretKey = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const bodyOf = (one: { body: Buffer } | undefined) => JSON.parse(String(one?.body));

describe('the Messages API behind the gateway', () => {
  it('passes a request on byte for byte where the model keeps its name', async () => {
    const { post, seen } = await openGateway((response) => json(response));
    await (await post(request({ extra: { kept: 1 } }))).text();
    expect(String(seen[0]?.body)).toBe(JSON.stringify(request({ extra: { kept: 1 } })));
    expect(seen[0]?.path).toBe('/v1/messages?beta=true');
    expect(seen[0]?.headers['x-api-key']).toBe('sk-real-key-one');
    expect(seen[0]?.headers.authorization).toBeUndefined();
  });

  it('asks another gateway with a bearer token, below its path, under its own name for the model', async () => {
    const config = {
      kind: 'messages',
      url: '/llm/anthropic/',
      models: { 'claude-sonnet-4-5': 'team/sonnet' },
    };
    const { post, seen, gateway } = await openGateway((response) => json(response), { config });
    await (await post()).text();
    await (await post(request(), '/v1/messages/count_tokens')).text();
    expect(seen.map(({ path }) => path)).toEqual([
      '/llm/anthropic/v1/messages?beta=true',
      '/llm/anthropic/v1/messages/count_tokens',
    ]);
    expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer sk-real-key-one' });
    expect(seen[0]?.headers['x-api-key']).toBeUndefined();
    expect(bodyOf(seen[0])).toEqual({ ...request(), model: 'team/sonnet' });
    expect(gateway.totals).toMatchObject({ microUsd: cost, answers: 1 });
  });

  it('puts the key into a header of the gateway\u2019s own', async () => {
    const config = { kind: 'messages', url: '', auth: 'Api-Key' };
    const { post, seen } = await openGateway((response) => json(response), { config });
    await (await post()).text();
    expect(seen[0]?.headers).toMatchObject({ 'api-key': 'sk-real-key-one' });
  });
});

describe('Bedrock behind the gateway', () => {
  const config = {
    kind: 'bedrock',
    region: 'eu-west-1',
    models: { 'claude-sonnet-4-5': 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0' },
  };
  const keys = [`${accessKey}:${secretKey}:session-token-abc`];

  it('checks signatures as AWS describes them: the published example comes out', () => {
    const headers = {
      host: 'example.amazonaws.com',
      'x-amz-date': '20150830T123600Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=0',
    };
    const example = { method: 'GET', path: '/', headers, body: Buffer.alloc(0) };
    expect(expectedSignature(example, 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY')).toBe(
      '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
    );
  });

  it('signs what it sends, and asks as InvokeModel wants to be asked', async () => {
    const { post, seen, gateway } = await openGateway(
      (response) => json(response, message({ model: 'claude-sonnet-4-5-20250929' })),
      { config, keys },
    );
    const answer = await post(request(), '/v1/messages?beta=true', {
      'anthropic-beta': 'context-1m-2025-08-07, interleaved',
      'anthropic-version': '2023-06-01',
    });
    expect(await answer.json()).toMatchObject({ usage });
    const [one] = seen;
    if (one === undefined) throw new Error('nothing came');
    expect(one.path).toBe('/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke');
    expect(bodyOf(one)).toEqual({
      max_tokens: 100,
      messages: request().messages,
      anthropic_version: 'bedrock-2023-05-31',
      anthropic_beta: ['context-1m-2025-08-07', 'interleaved'],
    });
    expect(one.headers['x-amz-security-token']).toBe('session-token-abc');
    expect(one.headers.authorization).toContain(`/eu-west-1/bedrock/aws4_request`);
    expect(one.headers.authorization).toMatch(/SignedHeaders=[^,]*host[^,]*x-amz-security-token/);
    expect(shownSignature(one.headers)).toBe(expectedSignature({ method: 'POST', ...one }, secretKey));
    expect(shownSignature(one.headers)).not.toBe(
      expectedSignature({ method: 'POST', ...one, body: Buffer.from('{}') }, secretKey),
    );
    expect(gateway.totals).toMatchObject({ microUsd: cost, estimated: false });
  });

  it('turns its event stream into that of the Messages API, cut anywhere', async () => {
    const bytes = Buffer.concat(events.map(chunk));
    const { post, seen, gateway } = await openGateway(
      async (response) => {
        response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
        for (let at = 0; at < bytes.length; at += 13) response.write(bytes.subarray(at, at + 13));
        response.end();
      },
      { config, keys },
    );
    const answer = await post(request({ stream: true }));
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    const text = await answer.text();
    const told = text
      .split('\n\n')
      .filter((one) => one !== '')
      .map((one) => JSON.parse(one.slice(one.indexOf('data: ') + 6)));
    expect(told).toEqual(events);
    expect(text).toContain('event: message_start\ndata: ');
    expect(seen[0]?.path).toMatch(/\/invoke-with-response-stream$/);
    expect(seen[0]?.headers.accept).toBe('application/vnd.amazon.eventstream');
    expect('stream' in bodyOf(seen[0])).toBe(false);
    expect(gateway.totals).toMatchObject({ microUsd: cost, estimated: false, outputTokens: 200 });
  });

  it('tells an exception in the middle of an answer as the API tells an error', async () => {
    const { post, gateway } = await openGateway(
      (response) => {
        response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
        response.end(Buffer.concat([...events.slice(0, 3).map(chunk), exception('throttlingException')]));
      },
      { config, keys },
    );
    const text = await (await post(request({ stream: true }))).text();
    expect(text).toMatch(/event: error\ndata: \{"type":"error","error":\{"type":"rate_limit_error"/);
    expect(gateway.totals).toMatchObject({ answers: 1, estimated: true, inputTokens: 1000 });
  });

  it.each([
    ['a wrong checksum', (bytes: Buffer) => bytes.fill(0x58, bytes.length - 20, bytes.length - 10)],
    ['an end within a frame', (bytes: Buffer) => bytes.subarray(0, bytes.length - 5)],
    ['something else', () => Buffer.from('<html>this is no event stream at all</html>')],
  ])('breaks off at %s', async (_what, spoil) => {
    const { post } = await openGateway(
      (response) => {
        response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
        response.end(spoil(Buffer.concat(events.slice(0, 3).map(chunk))));
      },
      { config, keys },
    );
    await expect(post(request({ stream: true })).then((answer) => answer.text())).rejects.toThrow();
  });

  it('takes a Bedrock API key as a bearer token', async () => {
    const { post, seen } = await openGateway((response) => json(response), {
      config: { ...config, auth: 'bearer' },
      keys: ['bedrock-api-key-abcdefgh'],
    });
    await (await post()).text();
    expect(seen[0]?.headers.authorization).toBe('Bearer bedrock-api-key-abcdefgh');
    expect(seen[0]?.headers['x-amz-date']).toBeUndefined();
  });

  it('gets credentials from a command, and again when they have expired', async () => {
    const folder = scratchFolder();
    const program = join(folder, 'credentials');
    const text = (id: string) =>
      JSON.stringify({ Version: 1, AccessKeyId: id, SecretAccessKey: secretKey, SessionToken: 's' });
    writeFileSync(
      program,
      `#!/bin/sh\nif [ -e ${folder}/second ]; then echo '${text(`${accessKey}2`)}'; else touch ${folder}/second; echo '${text(`${accessKey}1`)}'; fi\n`,
    );
    chmodSync(program, 0o755);
    const secrets: string[] = [];
    const { post, seen } = await openGateway(
      (response, { headers }) =>
        headers.authorization?.includes(`${accessKey}1/`) === true
          ? json(response, { message: 'The security token included in the request is expired' }, 403)
          : json(response),
      { config: { ...config, keys: [{ command: [program] }] }, onSecret: (secret) => secrets.push(secret) },
    );
    expect((await post()).status).toBe(200);
    expect((await post()).status).toBe(200);
    expect(seen.map(({ headers }) => headers.authorization?.includes(`${accessKey}2/`))).toEqual([
      false,
      true,
      true,
    ]);
    expect(secrets.length).toBe(2);
  });

  it('says its errors in the words of the API, and knows what is too long', async () => {
    const { post } = await openGateway(
      (response) => json(response, { message: 'Input is too long for requested model.' }, 400),
      { config, keys },
    );
    const answer = await post();
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual(
      apiError('invalid_request_error', 'prompt is too long: Input is too long for requested model.'),
    );
  });

  it('has no call for counting tokens, and no model that leads out of its path', async () => {
    const { post, seen } = await openGateway((response) => json(response), { config, keys });
    expect((await post(request(), '/v1/messages/count_tokens')).status).toBe(404);
    expect((await post(request({ model: '..' }))).status).toBe(400);
    expect((await post(request({ model: 'a/../../b' }))).status).toBe(200);
    expect(seen.map(({ path }) => path)).toEqual(['/model/a%2F..%2F..%2Fb/invoke']);
  });

  it('refuses what is no access key, and says so', async () => {
    const warnings: string[] = [];
    const { post, stops } = await openGateway((response) => json(response), {
      config,
      keys: ['not-a-key'],
      warn: (text) => warnings.push(text),
    });
    expect((await post()).status).toBe(403);
    expect(stops).toEqual([{ reason: 'invalid-api-key', resetsAt: null }]);
    expect(warnings.join()).toContain('no AWS access key');
    expect(warnings.join()).not.toContain('not-a-key');
  });
});

describe('Vertex behind the gateway', () => {
  const config = {
    kind: 'vertex',
    project: 'my-project',
    region: 'europe-west1',
    url: '/v1',
    models: { 'claude-sonnet-4-5': 'claude-sonnet-4-5@20250929' },
  };
  const base = '/v1/projects/my-project/locations/europe-west1/publishers/anthropic/models';

  it('asks as rawPredict and streamRawPredict want to be asked', async () => {
    const { post, seen, gateway } = await openGateway(
      (response, { path }) => (path.endsWith(':streamRawPredict') ? stream(response) : json(response)),
      { config, keys: ['ya29.token'] },
    );
    await (await post(request(), '/v1/messages?beta=true', { 'anthropic-beta': 'b1' })).text();
    await (await post(request({ stream: true }))).text();
    await (await post(request(), '/v1/messages/count_tokens')).text();
    expect(seen.map(({ path }) => path)).toEqual([
      `${base}/claude-sonnet-4-5@20250929:rawPredict`,
      `${base}/claude-sonnet-4-5@20250929:streamRawPredict`,
      `${base}/count-tokens:rawPredict`,
    ]);
    expect(bodyOf(seen[0])).toEqual({
      max_tokens: 100,
      messages: request().messages,
      anthropic_version: 'vertex-2023-10-16',
    });
    expect(bodyOf(seen[1]).stream).toBe(true);
    expect(bodyOf(seen[2]).model).toBe('claude-sonnet-4-5@20250929');
    expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer ya29.token', 'anthropic-beta': 'b1' });
    expect(gateway.totals).toMatchObject({ microUsd: 2 * cost, answers: 2 });
  });

  it('reads its token from a file, and again when it was refused', async () => {
    const file = join(scratchFolder(), 'token');
    writeFileSync(file, 'first-token\n');
    const { post, seen } = await openGateway(
      (response, { headers }) => {
        if (headers.authorization === 'Bearer second-token') return json(response);
        writeFileSync(file, 'second-token\n');
        return json(response, { error: { code: 401, message: 'expired', status: 'UNAUTHENTICATED' } }, 401);
      },
      { config: { ...config, keys: [{ file }] } },
    );
    expect((await post()).status).toBe(200);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer first-token',
      'Bearer second-token',
    ]);
  });

  it('asks the metadata server once for a token that lives', async () => {
    const metadata = await upstreamServer((response) =>
      json(response, { access_token: 'metadata-token', expires_in: 3599, token_type: 'Bearer' }),
    );
    const { post, seen } = await openGateway((response) => json(response), {
      config: { ...config, keys: [{ metadata: `${metadata.url}/computeMetadata/v1/token` }] },
    });
    await Promise.all([post(), post(), post()].map(async (one) => (await one).text()));
    await (await post()).text();
    expect(new Set(seen.map(({ headers }) => headers.authorization))).toEqual(
      new Set(['Bearer metadata-token']),
    );
    expect(metadata.seen.length).toBe(1);
    expect(metadata.seen[0]?.headers['metadata-flavor']).toBe('Google');
  });

  it('says its errors in the words of the API', async () => {
    const { post } = await openGateway(
      (response) =>
        json(response, [{ error: { code: 404, message: 'no such model', status: 'NOT_FOUND' } }], 404),
      { config, keys: ['t'] },
    );
    expect(await (await post()).json()).toEqual(apiError('not_found_error', 'no such model'));
  });
});

describe('the setting of the upstream', () => {
  it.each([
    ['no JSON', '{'],
    ['an unknown kind', '{"kind":"azure"}'],
    ['a field that is none', '{"kind":"anthropic","key":"sk-secret"}'],
    ['a password in the address', '{"kind":"messages","url":"https://me:sk-secret@example.com"}'],
    ['a query in the address', '{"kind":"messages","url":"https://example.com/?key=sk-secret"}'],
    ['a file as address', '{"kind":"messages","url":"file:///etc/passwd"}'],
    [
      'a header that frames requests',
      '{"kind":"messages","url":"https://example.com","auth":"content-length"}',
    ],
    ['a region that leads elsewhere', '{"kind":"bedrock","region":"x.example.com/"}'],
    ['no project', '{"kind":"vertex","region":"europe-west1"}'],
  ])('refuses %s, and repeats no value', (_what, text) => {
    expect(() => readUpstream(text)).toThrow(
      expect.objectContaining({
        code: 'worker.upstream',
        audience: 'operator',
        message: expect.not.stringContaining('sk-secret'),
      }),
    );
  });
});
