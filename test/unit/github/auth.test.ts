import { createVerify, generateKeyPairSync } from 'node:crypto';
import nock from 'nock';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAppJwt } from '../../../src/github/app-jwt.ts';
import { createAppTokens } from '../../../src/github/auth.ts';
import { host, noon } from './api-client.ts';
import { assertAllAsked, isolate } from './nock-client.ts';

const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

beforeAll(isolate);
afterEach(assertAllAsked);

function tokensAt(clock: { now: number }) {
  return createAppTokens({
    appId: 7,
    privateKey: keys.privateKey,
    baseUrl: `${host}/api/v3`,
    clock: { now: () => clock.now, sleep: async () => undefined },
    log: { debug: () => undefined, warn: () => undefined },
  });
}

function answerToken(installation: number, token: string, expiresAt: number) {
  return nock(host)
    .post(`/api/v3/app/installations/${installation}/access_tokens`)
    .reply(201, {
      token,
      expires_at: new Date(expiresAt).toISOString(),
      permissions: { contents: 'write' },
      repository_selection: 'all',
    });
}

describe('the token of an app', () => {
  it('is signed by its key and lives less than ten minutes by our clock', () => {
    const { jwt } = createAppJwt(7, keys.privateKey, noon);
    const [head = '', payload = '', signature = ''] = jwt.split('.');
    const signed = createVerify('RSA-SHA256').update(`${head}.${payload}`);
    expect(signed.verify(keys.publicKey, signature, 'base64url')).toBe(true);
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { iat: number; exp: number };
    expect(claims).toMatchObject({ iss: '7', iat: noon / 1000 - 60 });
    expect(claims.exp - claims.iat).toBeLessThanOrEqual(600);
  });

  it('can be made from a key whose line ends were escaped', () => {
    const escaped = keys.privateKey.replaceAll('\n', '\\n');
    expect(createAppJwt(7, escaped, noon).jwt).toBe(createAppJwt(7, keys.privateKey, noon).jwt);
  });

  it('refuses a key that is none, without showing it', () => {
    const error = () => createAppJwt(7, 'nonsense', noon);
    expect(error).toThrow(expect.objectContaining({ code: 'github.private-key-unreadable' }));
    expect(error).not.toThrow(/nonsense/);
  });
});

describe('the token of an installation', () => {
  it('is asked for at our server, once, and kept until shortly before its end', async () => {
    const clock = { now: noon };
    const token = tokensAt(clock).installation(101);
    answerToken(101, 'first', noon + 3_600_000);
    expect(await Promise.all([token(), token()])).toEqual(['first', 'first']);
    clock.now = noon + 54 * 60_000;
    expect(await token()).toBe('first');
    clock.now = noon + 56 * 60_000;
    answerToken(101, 'second', noon + 2 * 3_600_000);
    expect(await token()).toBe('second');
  });

  it('is asked for again after a failure', async () => {
    const token = tokensAt({ now: noon }).installation(102);
    nock(host).post('/api/v3/app/installations/102/access_tokens').reply(404, { message: 'Not Found' });
    await expect(token()).rejects.toMatchObject({ code: 'github.not-found' });
    answerToken(102, 'fine', noon + 3_600_000);
    expect(await token()).toBe('fine');
  });
});
