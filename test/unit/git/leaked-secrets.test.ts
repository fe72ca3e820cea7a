import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leakedSecrets } from '../../../src/git/leaked-secrets.ts';
import { type ObjectReader, openObjects } from '../../../src/git/objects.ts';
import { gitText } from '../../../src/git/run-git.ts';
import { writeBlob } from '../../../src/git/write-objects.ts';
import { cleanerFor, findSecrets } from '../../../src/host/find-secrets.ts';
import { createRedactor } from '../../../src/host/redact.ts';

// Put together here, so that this file holds nothing shaped like a secret.
const glue = (...parts: string[]) => parts.join('');
const letters = (count: number) => 'aB3xY9kQ7mZ2pL5wR8tV1nC4'.repeat(10).slice(0, count);
const known = 'correct-horse-battery';
const redactor = createRedactor([known]);
const names = async (text: string) => (await findSecrets(text, redactor)).map(({ name }) => name);

describe('what looks like a credential', () => {
  it.each([
    ['slack-token', glue('xo', 'xb-123456789012-123456789012-', letters(24))],
    ['sendgrid', glue('S', 'G.', letters(22), '.', letters(43))],
    ['gitlab', glue('gl', 'pat-', letters(20))],
    ['database-connection-string', glue('postgres', '://svc:', 'h7Tq-2x9', '@db.prod.internal:5432/x')],
    ['basicauth', glue('https', '://svc:', 'h7Tq2x9', '@files.corp.io/x')],
    ['aws', glue('aws_secret_access', '_key = "', letters(40), '"')],
  ])('is found by the ruleset: %s', async (name, text) => {
    expect(await names(`x = ${text}\n`)).toContain(name);
  });

  it.each([
    glue('postgres', '://postgres:postgres@localhost:5432/test'),
    glue('https', '://user:pass@example.com/x'),
    glue('mysql', '://app:${DB_PASSWORD}@db.corp.io/x'),
    glue('https', '://me:h7Tq2x9@service.test/x'),
    'an ordinary line',
  ])('is not what everybody writes into tests: %s', async (text) => {
    expect(await names(text)).toEqual([]);
  });

  it('cannot be switched off by a comment in the content', async () => {
    const token = glue('gl', 'pat-', letters(20));
    expect(await names(`// secretlint-disable\nconst a = "${token}";\n`)).toContain('gitlab');
    expect(await names(`const a = "${token}"; // secretlint-disable-line\n`)).toContain('gitlab');
  });

  it('is taken out of texts that are published', async () => {
    const token = glue('S', 'G.', letters(22), '.', letters(43));
    const clean = await cleanerFor(`I used ${token} and ${known}.`, redactor);
    expect(clean(`with ${token} or ${known}`)).toBe('with *** or ***');
  });
});

describe('secrets of a change', () => {
  const token = glue('gl', 'pat-', letters(20));
  let folder = '';
  let gitDir = '';
  let objects: ObjectReader;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ccd-leaks-'));
    gitDir = join(folder, 'x.git');
    await gitText({ args: ['init', '--quiet', '--bare', gitDir] });
    objects = openObjects(gitDir);
  });
  afterAll(async () => {
    await objects.close();
    await rm(folder, { recursive: true });
  });
  const blob = (text: string) => writeBlob(gitDir, Buffer.from(text));
  const change = async (path: string, before: string | null, after: string | null) => ({
    path,
    isGone: after === null,
    before: before === null ? null : await blob(before),
    after: after === null ? null : await blob(after),
  });

  it('are named by file and rule, never by value', async () => {
    const leaks = await leakedSecrets(objects, [await change('a.env', 'x', `T=${token}`)], redactor);
    expect(leaks).toMatchObject([{ path: 'a.env', found: ['gitlab'] }]);
    expect(JSON.stringify(leaks)).not.toContain(token);
    const named = await leakedSecrets(objects, [await change(`keys/${known}.txt`, null, 'x')], redactor);
    expect(named).toMatchObject([{ path: 'keys/***.txt', found: ['known-secret'] }]);
  });

  it('are not what the files held before, edited or moved', async () => {
    const edited = await change('test/a.ts', `const t = "${token}";\n`, `const t = "${token}"; // made up\n`);
    const moved = [
      await change('test/a.ts', `const t = "${token}";\n`, null),
      await change('test/b.ts', null, `const t = "${token}";\n`),
    ];
    expect(await leakedSecrets(objects, [edited], redactor)).toEqual([]);
    expect(await leakedSecrets(objects, moved, redactor)).toEqual([]);
    const second = await change('c.ts', null, `"${token.slice(0, -1)}Z"`);
    expect(await leakedSecrets(objects, [...moved, second], redactor)).toMatchObject([{ path: 'c.ts' }]);
  });

  it("are this machine's own values also where base holds them", async () => {
    const own = await change('a', `${known}\n`, `${known}!\n`);
    expect(await leakedSecrets(objects, [own], redactor)).toMatchObject([{ found: ['known-secret'] }]);
  });
});
