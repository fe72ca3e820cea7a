import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Figure, rounded } from './support/figure.ts';

const driver = join(import.meta.dirname, 'support', 'judge-once.ts');

/** Static verdicts of a large and of a small change, each in a process of its own: time and memory are the judge's alone. */
export async function run(): Promise<Figure[]> {
  return [...(await judged(1000, '3,000', '500')), ...(await judged(10, '300', '500'))];
}

async function judged(files: number, goalMs: string, goalMb: string): Promise<Figure[]> {
  const dir = await mkdtemp(join(tmpdir(), 'ccd-bench-'));
  try {
    const lines = await writeChange(dir, files);
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', driver, dir]);
    const told = JSON.parse(stdout) as { ms: number; cpuMs: number; rssMb: number; findings: number };
    const name = `${files} files, ${lines} lines`;
    return [
      { name, value: rounded(told.ms), unit: 'ms', goal: goalMs },
      { name: `${name}, processor`, value: rounded(told.cpuMs), unit: 'ms' },
      { name: `${name}, memory`, value: rounded(told.rssMb), unit: 'MB', goal: goalMb },
      { name: `${name}, findings`, value: told.findings, unit: 'of them' },
    ];
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Two commits, `base` and `head`: each file loses 50 lines and gains 50 others. Returns the lines of the difference. */
async function writeChange(dir: string, files: number): Promise<number> {
  await promisify(execFile)('git', ['init', '--quiet', '--bare', dir]);
  const importing = spawn('git', ['-C', dir, 'fast-import', '--quiet'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = new Promise<void>((resolve, reject) => {
    importing.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`fast-import: ${code}`))));
  });
  for (const [mark, side] of ['base', 'head'].entries()) {
    importing.stdin.write(`commit refs/heads/${side}\nmark :${mark + 1}\n`);
    importing.stdin.write('committer b <b@example.com> 1700000000 +0000\ndata 1\nx\n');
    if (mark > 0) importing.stdin.write('from :1\n');
    for (let file = 0; file < files; file += 1) {
      const { path, text } = fileOf(file, side === 'head');
      importing.stdin.write(`M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`);
    }
  }
  importing.stdin.end();
  await ended;
  return files * 100;
}

/** Seven of ten are production code, three are tests; six of ten TypeScript, the rest Python and Go. */
function fileOf(index: number, isHead: boolean): { path: string; text: string } {
  const language = index % 10 < 6 ? 'ts' : index % 10 < 8 ? 'py' : 'go';
  const isTest = index % 10 >= 3 && (index % 10) % 3 === 0;
  const parts = Array.from({ length: 20 }, (_, part) => {
    const name = `part${index}x${part}`;
    const step = isHead && part % 2 === 0 && !isTest ? index + part + 7 : part;
    return (isTest ? testPart : productionPart)[language](name, step);
  });
  const more =
    isHead && isTest
      ? [10, 11, 12, 13, 14, 15, 16, 17, 18, 19].map((n) => testPart[language](`more${index}x${n}`, n))
      : [];
  const text = `${heads[language][isTest ? 1 : 0]}${[...parts, ...more].join('\n')}`;
  const folder = `m${index % 37}`;
  const path = {
    ts: isTest ? `test/${folder}/f${index}.test.ts` : `src/${folder}/f${index}.ts`,
    py: isTest ? `tests/${folder}/test_f${index}.py` : `src/${folder}/f${index}.py`,
    go: isTest ? `pkg/${folder}/f${index}_test.go` : `pkg/${folder}/f${index}.go`,
  };
  return { path: path[language], text };
}

type Maker = Readonly<Record<'ts' | 'py' | 'go', (name: string, step: number) => string>>;

const heads = {
  ts: ['', "import { expect, it } from 'vitest';\n"],
  py: ['', 'import pytest\n'],
  go: ['package p\n', 'package p\n\nimport "testing"\n'],
} as const;

const productionPart: Maker = {
  ts: (name, step) =>
    `export function ${name}(values: readonly number[], limit: number): number {\n  let sum = ${step};\n  for (const value of values) {\n    if (value > limit) sum += value * ${step + 1};\n  }\n  return sum;\n}\n`,
  py: (name, step) =>
    `def ${name}(values, limit):\n    total = ${step}\n    for value in values:\n        if value > limit:\n            total += value * ${step + 1}\n    return total\n\n`,
  go: (name, step) =>
    `func ${name}(values []int, limit int) int {\n\tsum := ${step}\n\tfor _, value := range values {\n\t\tif value > limit {\n\t\t\tsum += value * ${step + 1}\n\t\t}\n\t}\n\treturn sum\n}\n`,
};

const testPart: Maker = {
  ts: (name, step) =>
    `it('${name} adds up', () => {\n  const values = [1, 2, ${step}];\n  const sum = values.reduce((left, right) => left + right, 0);\n  expect(sum).toBe(${step + 3});\n});\n`,
  py: (name, step) =>
    `def test_${name}():\n    values = [1, 2, ${step}]\n    total = sum(values)\n    assert total == ${step + 3}\n\n`,
  go: (name, step) =>
    `func Test${name}(t *testing.T) {\n\tvalues := []int{1, 2, ${step}}\n\tsum := 0\n\tfor _, value := range values {\n\t\tsum += value\n\t}\n\tif sum != ${step + 3} {\n\t\tt.Errorf("sum is %d", sum)\n\t}\n}\n`,
};
