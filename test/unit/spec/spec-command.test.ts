import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { specCommand } from '../../../src/cli/commands/spec.ts';
import { ccd } from '../demo-project/demo-repository.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccd-spec-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fixture = (name: string) => fileURLToPath(new URL(`../../../fixtures/issues/${name}`, import.meta.url));
function file(name: string, content: string | Uint8Array): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

test('a valid spec is echoed, exit 0', async () => {
  const run = await ccd(specCommand, 'spec', fixture('form.md'));
  expect(run).toMatchObject({ exit: 0, stderr: '' });
  expect(run.stdout).toContain('**The spec was understood as follows.**');
});

test('--json prints one document with the digest', async () => {
  const run = await ccd(specCommand, 'spec', fixture('block.md'), '--json');
  expect(JSON.parse(run.stdout)).toMatchObject({
    valid: true,
    digest: expect.stringMatching(/^sha256:/),
    problems: [],
  });
});

test('an invalid spec tells all problems, exit 1', async () => {
  const run = await ccd(specCommand, 'spec', file('a.md', '### Kind\n\nbug\n'), '--json');
  expect(run.exit).toBe(1);
  const document = JSON.parse(run.stdout) as { valid: boolean; problems: unknown[] };
  expect(document.valid).toBe(false);
  expect(document.problems.length).toBe(4);
});

test("a policy's defaults and bounds apply", async () => {
  const policy = file('ccd.yml', 'task: { test_command: make test }\nagent: { max_usd: 0.5 }\n');
  const body = file('b.md', '```ccd\nkind: docs\nobjective: x\nallowed_paths: [docs/]\n```\n');
  const run = await ccd(specCommand, 'spec', body, '--policy', policy, '--json');
  expect(JSON.parse(run.stdout)).toMatchObject({
    spec: { testCommand: 'make test', budget: { maxUsd: 0.5 } },
  });
});

test.each([
  ['a file that is not there', () => ['spec', join(folder, 'none.md')], /cannot be read \(ENOENT\)/],
  ['a folder', () => ['spec', folder], /cannot be read \(EISDIR\)/],
  ['bytes that are no text', () => ['spec', file('c.md', new Uint8Array([0xff, 0xfe, 0x00]))], /not UTF-8/],
  [
    'a broken policy',
    () => ['spec', fixture('form.md'), '--policy', file('d.yml', 'caps: 3')],
    /policy .* cannot be used/,
  ],
  ['no file at all', () => ['spec'], /Missing required argument/],
  ['an unknown option', () => ['spec', fixture('form.md'), '--fast'], /Unknown option/],
])('%s: one sentence, exit 2', async (_name, args, message) => {
  const run = await ccd(specCommand, ...args());
  expect(run).toMatchObject({ exit: 2, stdout: '' });
  expect(run.stderr).toMatch(message);
});
