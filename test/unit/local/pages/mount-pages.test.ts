import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mountPages } from '../../../../src/local/pages/mount-pages.ts';
import { createRepo, createUser } from '../../../../src/local/seed.ts';
import { type LocalGitHub, start } from '../../../../src/local/server.ts';

let dir: string;
let github: LocalGitHub;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ccd-mount-'));
  github = await start({ dataDir: dir });
  const ada = createUser(github.store, 'ada');
  await createRepo(github.store, { owner: ada, name: 'secret', private: true });
  mountPages(github, null);
});

afterAll(async () => {
  await github.close();
  await rm(dir, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A request with any host name and method: `fetch` allows neither. */
function ask(
  path: string,
  options: { host?: string; method?: string; accept?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      host: options.host ?? `127.0.0.1:${github.port}`,
      accept: options.accept ?? 'text/html',
    };
    const sent = request(
      { port: github.port, host: '127.0.0.1', path, method: options.method ?? 'GET', headers },
      (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          body += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        );
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

describe('pages', () => {
  it('may run, load and frame nothing, and set no cookie', async () => {
    const { status, headers } = await ask('/');
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'self'; /);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['set-cookie']).toBeUndefined();
  });

  it.each(['evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'localhost.evil.example', '[::2]'])(
    'refuse the host name %j, which a page on the web could point here',
    async (host) => {
      const { status, body } = await ask('/ada/secret', { host });
      expect(status).toBe(421);
      expect(body).not.toContain('secret');
    },
  );

  it.each(['localhost', 'LOCALHOST:80', '[::1]:80', 'ccd.localhost', '127.0.0.1'])(
    'answer to %s',
    async (host) => {
      expect((await ask('/ada/secret', { host })).status).toBe(200);
    },
  );

  it('leave everything but GET and HEAD to others', async () => {
    expect((await ask('/', { method: 'HEAD' })).body).toBe('');
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect((await ask('/ada/secret', { method })).headers['content-type']).toMatch(/json/);
  });

  it('leave the API its addresses, unless HTML is asked for', async () => {
    const path = '/repos/ada/secret';
    expect((await ask(path, { accept: 'application/vnd.github+json' })).headers['content-type']).toMatch(
      /json/,
    );
    expect((await ask(`/api/v3${path}`)).headers['content-type']).toMatch(/json/);
    expect((await ask('/ada/secret', { accept: '*/*' })).headers['content-type']).toMatch(/html/);
    expect((await ask('/ada/secret.git/info/refs?service=git-upload-pack', { accept: '*/*' })).status).toBe(
      401,
    );
  });
});
