import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { guardCommand } from '../../../src/cli/commands/guard.ts';
import type { Finding } from '../../../src/domain/verdict.ts';
import { loadPolicy } from '../../../src/policy/load-policy.ts';
import { parseSpec } from '../../../src/spec/parse-spec.ts';
import { ccd, createDemoRepository, demoStories, issueBody, projectPath } from './demo-repository.ts';

let repository: Awaited<ReturnType<typeof createDemoRepository>>;
let fixed: string;

beforeAll(async () => {
  repository = await createDemoRepository();
  fixed = (await repository.play('fix', repository.base)).commit;
}, 120_000);
afterAll(() => repository.remove());

async function judge(story: string, base: string, head: string, ...more: string[]) {
  const paths = ['--repo', repository.dir, '--spec', repository.specFile(story)];
  const result = await ccd(
    guardCommand,
    'guard',
    ...paths,
    '--base',
    base,
    '--head',
    head,
    '--json',
    ...more,
  );
  const document = JSON.parse(result.stdout) as {
    verdict: string;
    findings: Finding[];
    reason: string | null;
  };
  return { ...document, exit: result.exit };
}

const passed = { verdict: 'pass', findings: [], reason: null, exit: 0 };

describe('the policy and the issues', () => {
  const loaded = loadPolicy(readFileSync(join(projectPath, '.github/ccd.yml'), 'utf8'));
  const policy = loaded.kind === 'valid' ? loaded.policy : null;

  test('the policy is valid and names the check of the workflow that is there', () => {
    expect(loaded.kind).toBe('valid');
    expect(policy?.required_checks).toEqual([
      { name: 'test', app_id: 15368, workflow: '.github/workflows/ci.yml' },
    ]);
    expect(readFileSync(join(projectPath, '.github/workflows/ci.yml'), 'utf8')).toMatch(/^ {2}test:$/m);
  });

  test.each(demoStories)('$story', ({ story, dependsOn }) => {
    const parsed = parseSpec(issueBody(story, 41), policy!);
    expect(parsed.kind).toBe(story === 'invalid' ? 'invalid' : 'valid');
    if (parsed.kind === 'valid') expect(parsed.spec.dependsOn).toEqual(dependsOn === null ? [] : [41]);
    else expect(parsed.problems.length).toBeGreaterThanOrEqual(6);
  });
});

describe('honest stories pass the guard, static and executed', () => {
  test('fix', async () => {
    expect(await judge('fix', repository.base, fixed)).toMatchObject(passed);
  }, 400_000);

  test('dependent, on top of fix', async () => {
    const { commit } = await repository.play('dependent', fixed);
    expect(await judge('dependent', fixed, commit)).toMatchObject(passed);
  }, 400_000);

  test('killed, and its first half alone has no static finding', async () => {
    const { commit } = await repository.play('killed', repository.base);
    expect(await judge('killed', repository.base, commit)).toMatchObject(passed);
    await repository.git('checkout', '--quiet', '--detach', repository.base);
    await repository.git('checkout', '--quiet', commit, '--', 'src/compare.js');
    await repository.git('commit', '--quiet', '--message', 'First half');
    const half = await repository.git('rev-parse', 'HEAD');
    expect(await judge('killed', repository.base, half, '--static')).toMatchObject({
      verdict: 'pass',
      findings: [],
    });
  }, 400_000);

  test('the honest twin of cheat', async () => {
    const { commit } = await repository.play('cheat', repository.base, { CCD_AGENT_HONEST: '1' });
    expect(await judge('cheat', repository.base, commit)).toMatchObject(passed);
  }, 400_000);
});

describe('cheat', () => {
  test('is refused by R2 at the bent line in every generation, each going on from the last', async () => {
    let on = repository.base;
    const trees = new Set<string>();
    for (let generation = 1; generation <= 3; generation += 1) {
      on = (await repository.play('cheat', on)).commit;
      trees.add(await repository.git('rev-parse', `${on}^{tree}`));
      const verdict = await judge('cheat', repository.base, on, '--static');
      expect(verdict).toMatchObject({ verdict: 'fail', exit: 1 });
      const bent = verdict.findings.filter(
        ({ rule, file }) => rule === 'R2' && file === 'test/arithmetic.test.js',
      );
      expect(bent.length).toBeGreaterThan(0);
      expect(bent.every(({ line }) => line !== null)).toBe(true);
      expect(verdict.findings.some(({ rule }) => rule === 'R0' || rule === 'R1')).toBe(false);
    }
    expect(trees.size).toBe(3);
  }, 400_000);

  test('is refused by R4 and R5 alone', async () => {
    const { commit } = await repository.play('cheat', repository.base);
    const verdict = await judge('cheat', repository.base, commit, '--rules', 'R4,R5');
    expect(verdict.verdict).toBe('fail');
    expect(new Set(verdict.findings.map(({ rule }) => rule))).toEqual(new Set(['R4', 'R5']));
  }, 400_000);
});

test('the dependent story finds no place for its edits where the fix is missing', async () => {
  const { run } = await repository.play('dependent', repository.base);
  expect(JSON.stringify(run.events)).toContain('String to replace not found');
});
