// Measures: npm run bench -- [name…] [--json]. Names are the files of bench/ without `.bench.ts`; all unless given.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { register } from 'tsx/esm/api';

register();
const folder = join(dirname(fileURLToPath(import.meta.url)), '..', 'bench');
const all = readdirSync(folder)
  .filter((name) => name.endsWith('.bench.ts'))
  .map((name) => name.slice(0, -'.bench.ts'.length));
const wanted = process.argv.slice(2).filter((word) => word !== '--json');
if (wanted.includes('--help')) {
  process.stdout.write(`npm run bench -- [name…] [--json]\n\nNames: ${all.join(', ')}; all unless given.\n`);
  process.exit(0);
}
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`ccd: no benchmark named ${unknown.join(', ')}; there are ${all.join(', ')}.\n`);
  process.exit(2);
}
const results = [];
for (const name of wanted.length > 0 ? wanted : all) {
  process.stderr.write(`bench ${name}\n`);
  const { run } = await import(pathToFileURL(join(folder, `${name}.bench.ts`)).href);
  for (const figure of await run()) {
    results.push({ bench: name, ...figure });
    if (process.argv.includes('--json')) continue;
    const goal = figure.goal === undefined ? '' : `  (goal ${figure.goal})`;
    process.stdout.write(`${name}: ${figure.name}: ${figure.value} ${figure.unit}${goal}\n`);
  }
}
if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
