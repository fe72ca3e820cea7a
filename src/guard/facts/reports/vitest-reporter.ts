import { keyFileName } from './seal.ts';

/**
 * Text of a reporter for vitest: its own JSON reporter, found from the tree, with the report sealed. The secret is taken when
 * the reporter is loaded, which is before any worker starts.
 */
export function vitestReporter(folder: string): string {
  return `import { createHmac } from 'node:crypto';
import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = ${JSON.stringify(folder)};
const key = readFileSync(join(folder, '${keyFileName}'), 'utf8');
unlinkSync(join(folder, '${keyFileName}'));
const target = readFileSync(join(folder, 'ccd-target'), 'utf8');
const resolve = createRequire(join(process.cwd(), 'package.json')).resolve;
async function findReporter() {
  for (const name of ['vitest/node', 'vitest/reporters']) {
    try {
      const { JsonReporter } = await import(pathToFileURL(resolve(name)).href);
      if (JsonReporter) return JsonReporter;
    } catch (error) {
      if (name === 'vitest/reporters') throw error;
    }
  }
}
const JsonReporter = await findReporter();
export default class extends JsonReporter {
  constructor() {
    super({});
  }
  async writeReport(text) {
    writeFileSync(target, createHmac('sha256', key).update(text).digest('hex') + ' ' + text);
  }
}
`;
}
