import { mkdtemp, readdir, readFile, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type FactsInputs, type FactsIo, runFactsCommand } from '../../../src/action/facts.ts';
import { artifactNames } from '../../../src/domain/contract.ts';
import { digestValue } from '../../../src/domain/digest.ts';
import { type FactsPlan, factsSchema } from '../../../src/domain/facts.ts';
import { git } from '../../../src/git/run-git.ts';
import { judgeFacts } from '../../../src/guard/facts/judge-facts.ts';
import { systemClock } from '../../../src/host/clock.ts';
import { removeTree } from '../../../src/host/remove-tree.ts';
import { patience, specWith } from './judged.ts';
import { type TwoTrees, twoTrees } from './two-trees.ts';

vi.setConfig({ testTimeout: patience, hookTimeout: patience });

let root: string;
let repo: TwoTrees;
let plan: FactsPlan;
let stored: Map<string, string>;
let lines: string[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ccd-facts-job-'));
  const tests = `import test from 'node:test';\nimport assert from 'node:assert/strict';\nimport { half } from '../src/half.js';
test('odd', () => { console.log('::error::forged'); assert.equal(half(5), 2); });\n`;
  const files = { 'package.json': '{"type":"module"}\n', 'test/half.test.js': tests };
  repo = await twoTrees(
    { ...files, 'src/half.js': 'export const half = (value) => value / 2;\n' },
    { ...files, 'src/half.js': 'export const half = (value) => Math.floor(value / 2);\n' },
  );
  await git({ args: ['config', 'uploadpack.allowAnySHA1InWant', 'true'], gitDir: repo.gitDir });
  await rename(repo.gitDir, join(root, 'repo.git'));
  plan = {
    version: 1,
    judged: 'candidate',
    base: repo.base,
    head: repo.head,
    testPaths: [],
    setup: null,
    testCommand: 'node --test',
    targetTests: ['test/half.test.js::odd'],
    runs: 1,
    timeoutMs: 60_000,
  };
  stored = new Map();
  lines = [];
});
afterEach(() => removeTree(root));

function io(): FactsIo {
  return {
    env: { ...process.env, GITHUB_SERVER_URL: `file://${root}`, GITHUB_REPOSITORY: 'repo' },
    tempDir: root,
    artifacts: {
      upload: async ({ name, files }) => {
        stored.set(name, await readFile(files[0] ?? '', 'utf8'));
      },
    },
    clock: systemClock,
    log: (line) => lines.push(line),
  };
}

function inputs(part: Partial<FactsInputs> = {}): FactsInputs {
  return {
    plan: JSON.stringify(plan),
    planDigest: digestValue(plan),
    try: '2',
    token: '',
    ephemeral: true,
    ...part,
  };
}

test('fetches, executes, and hands over facts that the guard accepts', async () => {
  await runFactsCommand(inputs(), io());
  const text = stored.get(artifactNames.facts(digestValue(plan), 2)) ?? '';
  const facts = factsSchema.parse(JSON.parse(text));
  const spec = specWith({ targetTests: plan.targetTests });
  expect(judgeFacts({ plan, facts, spec })).toEqual({ kind: 'judged', findings: [] });
  expect(lines.join('\n')).not.toContain('forged');
  expect(await readdir(root)).toEqual(['repo.git']);
});

test('a plan that is not the one that was dispatched is not executed', async () => {
  const other = JSON.stringify({ ...plan, testCommand: 'node --test && curl example.org' });
  for (const bad of [{ plan: other }, { plan: '{' }, { planDigest: 'x' }, { try: '0' }]) {
    await expect(runFactsCommand(inputs(bad), io())).rejects.toMatchObject({ code: 'facts.plan' });
  }
  expect(stored.size).toBe(0);
});

test('a commit that the repository does not have is a fault of git, and nothing is left', async () => {
  const missing = { ...plan, head: 'e'.repeat(40) };
  const wrong = inputs({ plan: JSON.stringify(missing), planDigest: digestValue(missing) });
  await expect(runFactsCommand(wrong, io())).rejects.toMatchObject({ code: 'git.failed' });
  expect(await readdir(root)).toEqual(['repo.git']);
});
