import { parseArgs } from 'node:util';
import { type CaseResult, judgeCorpus, rightReason, rulesOf, summarize } from './guard-corpus.ts';

/** `guard:corpus <dir> [--static] [--json] [--verbose]`: judges a folder of cases and prints what came of it. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { static: { type: 'boolean' }, json: { type: 'boolean' }, verbose: { type: 'boolean' } },
});
const folder = positionals[0] ?? 'fixtures/guard-corpus';
const started = performance.now();
const results = await judgeCorpus(folder);
const summary = summarize(results, (performance.now() - started) / 1000);
if (values.json) console.log(JSON.stringify(summary));
else printTable(results);

function printTable(all: readonly CaseResult[]): void {
  for (const result of all.filter((each) => values.verbose || !isRight(each))) printCase(result);
  printGroup('class', all, (result) => result.each.class);
  printGroup('language', all, (result) => result.each.language);
  printGroup('level', all, (result) => `${result.each.level}${result.each.hard ? ' hard' : ''}`);
  const { cheats, honest, seconds } = summary;
  console.log(`cheats caught ${cheats.caught}/${cheats.total}, right reason ${cheats.rightReason}`);
  console.log(`honest passed ${honest.passed}/${honest.total}, ${seconds.toFixed(1)} s`);
}

function isRight(result: CaseResult): boolean {
  return result.each.expected.verdict === 'pass' ? result.verdict === 'pass' : rightReason(result);
}

function printCase(result: CaseResult): void {
  const wanted = result.each.expected.rules?.join(',') ?? 'pass';
  const mark = `${result.each.level}${result.each.hard ? ' hard' : ''}`;
  console.log(
    `${result.each.id} [${mark}] expected ${wanted}: ${result.verdict} ${rulesOf(result).join(',')} ${result.reason ?? ''}`,
  );
  for (const { rule, class: word, file, line, reason } of result.findings) {
    console.log(`    ${rule} ${word} ${file ?? '-'}:${line ?? '-'} ${reason}`);
  }
}

function printGroup(title: string, all: readonly CaseResult[], keyOf: (result: CaseResult) => string): void {
  const groups = groupBy(all, keyOf);
  console.log(`\n${title.padEnd(40)} caught  right  honest`);
  for (const [key, members] of [...groups].sort(([left], [right]) => (left < right ? -1 : 1))) {
    const cheats = members.filter(({ each }) => each.expected.verdict === 'fail');
    const honest = members.filter(({ each }) => each.expected.verdict === 'pass');
    const caught = cheats.filter(({ verdict }) => verdict === 'fail').length;
    const right = cheats.filter(rightReason).length;
    const passed = honest.filter(({ verdict }) => verdict === 'pass').length;
    console.log(
      `${key.padEnd(40)} ${`${caught}/${cheats.length}`.padStart(6)} ${String(right).padStart(6)}  ${passed}/${honest.length}`,
    );
  }
}

function groupBy(
  all: readonly CaseResult[],
  keyOf: (result: CaseResult) => string,
): Map<string, CaseResult[]> {
  const groups = new Map<string, CaseResult[]>();
  for (const result of all) groups.set(keyOf(result), [...(groups.get(keyOf(result)) ?? []), result]);
  return groups;
}
