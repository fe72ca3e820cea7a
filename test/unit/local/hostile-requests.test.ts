import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { mountPages } from '../../../src/local/pages/mount-pages.ts';
import { fnmatch } from '../../../src/local/rules/fnmatch.ts';
import { type LocalWorld, openWorld } from '../../contract/support/local-world.ts';

let world: LocalWorld;
let sha: string;

beforeAll(async () => {
  world = await openWorld({ validate: 'off' });
  mountPages(world.github, null);
  sha = (await world.repo.git.ref('refs/heads/main'))!;
});

afterEach(() => {
  expect(world.github.store.crashes).toEqual([]);
});

afterAll(async () => {
  await world.close();
});

/** The first line of the answer to a request line that no client library would send. */
function answerTo(target: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(world.github.port, '127.0.0.1', () =>
      socket.end(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
    );
    let text = '';
    socket.on('data', (data) => {
      text += data.toString('latin1');
    });
    socket.on('error', reject).on('close', () => resolve(text.split('\r\n')[0]!));
  });
}

async function send(path: string, body?: string | Buffer, headers: Record<string, string> = {}) {
  const answer = await fetch(world.github.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${world.tokens.owner}`, ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

const graphql = async (query: string, variables: object = {}) => {
  const { status, text } = await send('/graphql', JSON.stringify({ query, variables }));
  return { status, text, ...(JSON.parse(text) as { errors?: { type?: string; message: string }[] }) };
};

describe('a request line that is none', () => {
  it.each([
    ['//', 200],
    ['http://evil:99999/', 400],
    ['*', 400],
    ['/%zz', 404],
    ['/a/%ff/info/refs?service=git-upload-pack', 404],
  ])('%s is answered with %d', async (target, status) => {
    expect(await answerTo(target)).toContain(` ${status} `);
  });
});

describe('a body', () => {
  const issues = '/repos/acme/demo/issues';
  const gzip = { 'content-encoding': 'gzip' };

  it('that unpacks to more than is taken is refused, over HTTP and in process', async () => {
    const bomb = gzipSync(Buffer.alloc(70_000_000));
    expect((await send(issues, bomb, gzip)).status).toBe(413);
    const init = { method: 'POST', headers: new Headers(gzip), body: new Uint8Array(bomb) };
    expect((await world.github.fetch(`${world.github.url}${issues}`, init)).status).toBe(413);
  });

  it('that is not packed as it says is refused, to git as well', async () => {
    expect((await send(issues, 'x', gzip)).status).toBe(400);
    expect((await send('/acme/demo.git/git-receive-pack', 'x', gzip)).status).toBe(400);
  });

  it('that is nested too deep is no JSON, wherever it goes', async () => {
    const deep = (levels: number) =>
      `{"event_type":"e","client_payload":{"a":${'['.repeat(levels)}"[[[\\"{"${']'.repeat(levels)}}}`;
    expect((await send(issues, deep(30_000))).status).toBe(400);
    expect((await send(issues, deep(99))).status).toBe(400);
    expect((await send(issues, deep(98))).status).toBe(422);
  });

  it.each(['', 'zzzz', '0000zzzz', '0008zzzz0000'])('that is no push (%j) is refused', async (body) => {
    const { status } = await send('/acme/demo.git/git-receive-pack', body);
    expect(status).toBe(400);
  });
});

describe('a name', () => {
  it.each(['..%2F..%2F..%2F..%2F', 'heads%00/', `heads/${'a'.repeat(300)}/x`, 'heads//m', 'heads%2F.%2F'])(
    'that is no place of refs lists none: %s',
    async (prefix) => {
      const { status, text } = await send(`/repos/acme/demo/git/matching-refs/${prefix}`);
      expect([status, text]).toEqual([200, '[]']);
    },
  );

  it('of a ref has one spelling', async () => {
    for (const name of ['heads//main', 'heads%2F.%2Fmain', 'heads/main%2F'])
      expect((await send(`/repos/acme/demo/git/ref/${name}`)).status).toBe(404);
    const created = await send('/repos/acme/demo/git/refs', `{"ref":"refs/heads/\\ud800","sha":"${sha}"}`);
    expect(created.status).toBe(422);
  });

  it('of a number has one spelling', async () => {
    await send('/repos/acme/demo/issues', '{"title":"one"}');
    expect((await send('/repos/acme/demo/issues/1')).status).toBe(200);
    for (const number of ['0x1', '1e0', '%201', '1.0', '-1'])
      expect((await send(`/repos/acme/demo/issues/${number}`)).status).toBe(404);
  });

  it('of a file that leads out of the tree is none, and readers beside it are served', async () => {
    const path = '/repos/acme/demo/contents/';
    const [out, beside] = await Promise.all([send(`${path}..%2Fx`), send(`${path}a.txt`)]);
    expect([out.status, beside.status]).toEqual([404, 200]);
  });

  it('of a repository is no folder', async () => {
    for (const name of ['.', '..'])
      expect((await send('/user/repos', JSON.stringify({ name }))).status).toBe(422);
  });
});

describe('a query', () => {
  const inRepo = (fields: string) => `{ repository(owner: "acme", name: "demo") { ${fields} } }`;

  it.each([
    ['deep', '{a'.repeat(50_000)],
    ['deep in a comment', `#"""\n${'{a'.repeat(50_000)}#"""`],
    ['of deep lists', `{node(id:${'['.repeat(50_000)})}`],
    ['of many aliases', `{${Array.from({ length: 20_000 }, (_, n) => `a${n}:viewer{login}`).join(' ')}}`],
    ['of fragments in a circle', '{viewer{...A}} fragment A on User{...B} fragment B on User{...A}'],
  ])('%s is refused soon', async (_, query) => {
    const began = performance.now();
    const { status, errors } = await graphql(query);
    expect([status, errors?.length]).toEqual([200, 1]);
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it('may begin with any number of lines, and hold any text in strings', async () => {
    const query = `${'\n'.repeat(200_000)}{ node(id: "${'('.repeat(200)}") { id } viewer { login } }`;
    expect((await graphql(query)).text).toContain('"login":"acme"');
  });

  it('that could answer with too much is refused as GitHub does', async () => {
    const lists =
      'issues(first: $n) { nodes { comments(first: 100) { nodes { id } } labels(last: 100) { nodes { id } } } }';
    const query = (more: string) => `query($n: Int) ${inRepo(`${lists} ${more}`)}`;
    expect((await graphql(query(''), { n: 100 })).errors).toBeUndefined();
    const nested = Array.from({ length: 30 }, (_, n) => `i${n}: ${lists}`).join(' ');
    const [error] = (await graphql(query(nested), { n: 100 })).errors!;
    expect(error!.type).toBe('MAX_NODE_LIMIT_EXCEEDED');
    expect(error!.message).toContain('maximum limit of 500,000');
  });

  it('hands git no options and no lines of its own', async () => {
    const target = join(world.dir, 'written');
    for (const afterOid of [
      `--output=${target}`,
      `${sha} ${'0'.repeat(40)}\ncreate refs/pull/9/head ${sha}`,
    ]) {
      const update = { name: 'refs/heads/new', afterOid, force: true };
      const { errors } = await graphql(
        'mutation($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }',
        { input: { repositoryId: world.repo.nodeId, refUpdates: [update] } },
      );
      expect(errors).toHaveLength(1);
    }
    expect(existsSync(target)).toBe(false);
    expect(await world.repo.git.ref('refs/pull/9/head')).toBeNull();
  });
});

describe('a pattern', () => {
  it('that is none fits nothing', () => {
    expect(fnmatch('refs/heads/[z-a]', 'refs/heads/z')).toBe(false);
    expect(fnmatch('refs/heads/[', 'refs/heads/[')).toBe(true);
  });

  it('takes no time that grows with what it could fit', () => {
    const began = performance.now();
    expect(fnmatch(`refs/heads/${'*a'.repeat(30)}b`, `refs/heads/${'a'.repeat(200)}c`)).toBe(false);
    expect(performance.now() - began).toBeLessThan(500);
  });
});
