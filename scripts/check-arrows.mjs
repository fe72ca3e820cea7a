// Checks the import arrows, and prints the ten longest files and functions. An argument names another folder to cruise.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cruise } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import ts from 'typescript';

const options = await extractOptions('./.dependency-cruiser.cjs');
const { output } = await cruise(['src'], options, undefined, { tsConfig: extractTsConfig('tsconfig.json') });
const { totalCruised, violations } = output.summary;
// A cruiser that sees nothing also finds nothing.
if (totalCruised < 50) fail(`only ${totalCruised} modules were seen`);
for (const { rule, from, to } of violations) process.stderr.write(`${rule.name}: ${from} -> ${to}\n`);
process.stdout.write(`arrows: ${totalCruised} modules, ${violations.length} violations\n`);

const sources = readdirSync('src', { recursive: true })
  .filter((name) => name.endsWith('.ts') && !name.includes('generated'))
  .map((name) => join('src', name));
const files = [];
const functions = [];
for (const path of sources) {
  const text = readFileSync(path, 'utf8');
  files.push([text.split('\n').length - 1, path]);
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body) {
      const first = source.getLineAndCharacterOfPosition(node.getStart()).line;
      const last = source.getLineAndCharacterOfPosition(node.end).line;
      functions.push([last - first + 1, `${path}:${first + 1} ${node.name?.getText() ?? ''}`]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}
const top = (rows) =>
  rows
    .sort((left, right) => right[0] - left[0])
    .slice(0, 10)
    .map(([lines, what]) => `  ${lines}  ${what}`);
process.stdout.write(
  `longest files:\n${top(files).join('\n')}\nlongest functions:\n${top(functions).join('\n')}\n`,
);
if (violations.length > 0) process.exit(1);

function fail(why) {
  process.stderr.write(`arrows: ${why}\n`);
  process.exit(1);
}
