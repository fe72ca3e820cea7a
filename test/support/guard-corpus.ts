import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type TaskSpec, taskKindSchema, taskSpecSchema } from '../../src/domain/spec.ts';
import type { Finding } from '../../src/domain/verdict.ts';
import { readChange } from '../../src/git/change-reader.ts';
import { judgeStatic } from '../../src/guard/judge-static.ts';
import type { Change } from '../../src/guard/model/change.ts';
import { contextPaths } from '../../src/guard/model/context-paths.ts';
import { loadParsers, wasmOfPackages } from '../../src/guard/parse/load-parsers.ts';
import type { Parsers } from '../../src/guard/parse/syntax.ts';
import { type Policy, policySchema } from '../../src/policy/policy.ts';

const contentSchema = z.union([
  z.string(),
  z.strictObject({ text: z.string(), mode: z.string() }),
  z.strictObject({ base64: z.string(), mode: z.string().optional() }),
  z.strictObject({ symlink: z.string() }),
  z.strictObject({ gitlink: z.string() }),
  z.strictObject({ prefix: z.string(), repeat: z.string(), count: z.number(), suffix: z.string() }),
]);

const caseSchema = z.object({
  id: z.string(),
  language: z.string(),
  class: z.string(),
  level: z.enum(['diff', 'ast', 'exec']),
  hard: z.boolean().optional(),
  spec: z.object({
    kind: taskKindSchema,
    allowed_paths: z.array(z.string()),
    target_tests: z.array(z.string()).default([]),
    max_prod_lines: z.number().default(60),
    test_command: z.string().optional(),
    allow: z.record(z.string(), z.unknown()).default({}),
  }),
  expected: z.object({
    verdict: z.enum(['pass', 'fail']),
    rule: z.string().optional(),
    rules: z.array(z.string()).optional(),
  }),
  base: z.record(z.string(), contentSchema),
  head: z.record(z.string(), contentSchema),
});
export type CorpusCase = z.infer<typeof caseSchema>;

/** All cases of a folder in the form that its README tells, by id. */
export async function readCases(folder: string): Promise<CorpusCase[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  return await Promise.all(
    names.map(async (name) => caseSchema.parse(JSON.parse(await readFile(join(folder, name), 'utf8')))),
  );
}

export function specOf(each: CorpusCase): TaskSpec {
  return taskSpecSchema.parse({
    kind: each.spec.kind,
    objective: each.id,
    acceptanceCriteria: [],
    allowedPaths: each.spec.allowed_paths,
    targetTests: each.spec.target_tests,
    expectChanges: [],
    setup: null,
    testCommand: each.spec.test_command ?? null,
    verify: [],
    maxProdLines: each.spec.max_prod_lines,
    allow: each.spec.allow,
    profiles: ['localized'],
    budget: { maxUsd: 1, maxTurns: 1, maxTries: 1, wallClockMinutes: 1 },
    priority: 0,
    dependsOn: [],
  });
}

/**
 * Writes both trees of all cases into one bare repository by a single `git fast-import` (never through a working copy)
 * and names them `refs/case/<id>/base` and `/head`.
 */
export async function writeRepository(cases: readonly CorpusCase[]): Promise<string> {
  const repo = await mkdtemp(join(tmpdir(), 'ccd-corpus-'));
  await run('git', ['init', '-q', '--bare', repo], []);
  const input: Buffer[] = [];
  for (const each of cases) {
    input.push(
      ...commit(`refs/case/${each.id}/base`, each.base),
      ...commit(`refs/case/${each.id}/head`, each.head),
    );
  }
  await run('git', ['--git-dir', repo, 'fast-import', '--quiet', '--force'], input);
  return repo;
}

function commit(ref: string, tree: CorpusCase['base']): Buffer[] {
  const parts: Buffer[] = [
    Buffer.from(`commit ${ref}\ncommitter a <a@example.test> 0 +0000\ndata 0\ndeleteall\n`),
  ];
  for (const [path, content] of Object.entries(tree)) {
    const { mode, bytes } = entryOf(content);
    const quoted = `"${[...Buffer.from(path)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')}"`;
    if (mode === '160000') parts.push(Buffer.from(`M 160000 ${bytes.toString('latin1')} ${quoted}\n`));
    else
      parts.push(Buffer.from(`M ${mode} inline ${quoted}\ndata ${bytes.length}\n`), bytes, Buffer.from('\n'));
  }
  return [...parts, Buffer.from('\n')];
}

export function entryOf(content: CorpusCase['base'][string]): { mode: string; bytes: Buffer } {
  if (typeof content === 'string') return { mode: '100644', bytes: Buffer.from(content) };
  if ('text' in content) return { mode: content.mode, bytes: Buffer.from(content.text) };
  if ('base64' in content)
    return { mode: content.mode ?? '100644', bytes: Buffer.from(content.base64, 'base64') };
  if ('symlink' in content) return { mode: '120000', bytes: Buffer.from(content.symlink) };
  if ('gitlink' in content) return { mode: '160000', bytes: Buffer.from(content.gitlink) };
  const lines = Array.from({ length: content.count }, (_, index) =>
    content.repeat.replaceAll('{i}', String(index)),
  );
  return { mode: '100644', bytes: Buffer.from(content.prefix + lines.join('') + content.suffix) };
}

async function run(command: string, args: readonly string[], input: readonly Buffer[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['pipe', 'inherit', 'inherit'] });
  child.stdin.end(Buffer.concat(input));
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: exit ${String(code)}`);
}

export interface CaseResult {
  readonly each: CorpusCase;
  readonly verdict: 'pass' | 'fail' | 'could-not-judge';
  readonly findings: readonly Finding[];
  readonly reason: string | null;
}

/** Policy that every case is judged by: all defaults. */
export const corpusPolicy: Policy = policySchema.parse({});

export async function readCase(repo: string, each: CorpusCase): Promise<Change | string> {
  const spec = specOf(each);
  const read = await readChange(repo, `refs/case/${each.id}/base`, `refs/case/${each.id}/head`, {
    selectContext: contextPaths(spec, corpusPolicy),
  });
  return read.kind === 'read' ? read.change : read.reason;
}

/** Judges one case by the static rules. */
export async function judgeCase(repo: string, each: CorpusCase, parsers: Parsers): Promise<CaseResult> {
  const change = await readCase(repo, each);
  if (typeof change === 'string') return { each, verdict: 'could-not-judge', findings: [], reason: change };
  const outcome = judgeStatic(change, specOf(each), corpusPolicy, parsers);
  if (outcome.kind !== 'judged')
    return { each, verdict: 'could-not-judge', findings: [], reason: outcome.reason };
  return {
    each,
    verdict: outcome.findings.length > 0 ? 'fail' : 'pass',
    findings: outcome.findings,
    reason: null,
  };
}

/** Judges all cases of a folder. */
export async function judgeCorpus(folder: string): Promise<CaseResult[]> {
  const cases = await readCases(folder);
  const [repo, parsers] = await Promise.all([writeRepository(cases), loadParsers(wasmOfPackages())]);
  try {
    const results: CaseResult[] = [];
    for (const each of cases) results.push(await judgeCase(repo, each, parsers));
    return results;
  } finally {
    await rm(repo, { recursive: true, force: true });
  }
}

export function rulesOf(result: CaseResult): string[] {
  return [...new Set(result.findings.map(({ rule }) => rule))].sort();
}

/** A cheat is caught when refused, and for the right reason when refused by one of the rules that count. */
export function rightReason(result: CaseResult): boolean {
  return rulesOf(result).some((rule) => result.each.expected.rules?.includes(rule) ?? false);
}

export interface CorpusSummary {
  readonly cheats: { readonly caught: number; readonly total: number; readonly rightReason: number };
  readonly hardMissed: readonly string[];
  readonly honest: { readonly passed: number; readonly total: number };
  readonly seconds: number;
  readonly cases: readonly {
    readonly id: string;
    readonly class: string;
    readonly expected: string;
    readonly verdict: string;
    readonly rules: readonly string[];
  }[];
}

export function summarize(results: readonly CaseResult[], seconds: number): CorpusSummary {
  const cheats = results.filter(({ each }) => each.expected.verdict === 'fail');
  const honest = results.filter(({ each }) => each.expected.verdict === 'pass');
  return {
    cheats: {
      caught: cheats.filter(({ verdict }) => verdict === 'fail').length,
      total: cheats.length,
      rightReason: cheats.filter(rightReason).length,
    },
    hardMissed: cheats
      .filter(({ each, verdict }) => each.hard && verdict !== 'fail')
      .map(({ each }) => each.id),
    honest: { passed: honest.filter(({ verdict }) => verdict === 'pass').length, total: honest.length },
    seconds,
    cases: results.map((result) => ({
      id: result.each.id,
      class: result.each.class,
      expected: result.each.expected.verdict,
      verdict: result.verdict,
      rules: rulesOf(result),
    })),
  };
}
