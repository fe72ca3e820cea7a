import { keyFileName } from './seal.ts';

/**
 * Text of the reporter that `node --test` loads from outside the tree. It reads the key, removes it before any test
 * starts, and authenticates each line with it, so that a test process that finds the report cannot write in it unseen.
 * The last line says how many there were: a cut report is no report.
 */
export const nodeTestReporter = `import { createHmac } from 'node:crypto';
import { readFileSync, unlinkSync } from 'node:fs';

const keyFile = new URL('./${keyFileName}', import.meta.url);
const key = readFileSync(keyFile, 'utf8');
unlinkSync(keyFile);
let count = 0;
function line(value) {
  const text = JSON.stringify(value);
  const mac = createHmac('sha256', key).update(count + ' ' + text).digest('hex');
  count += 1;
  return mac + ' ' + text + '\\n';
}
function cause(error) {
  const inner = error?.cause ?? error;
  if (inner === null || inner === undefined) return null;
  if (typeof inner !== 'object') return { code: null, name: null, message: String(inner) };
  return { code: String(inner.code ?? ''), name: String(inner.name ?? ''), message: String(inner.message ?? '') };
}
export default async function* report(source) {
  let stderr = '';
  for await (const { type, data } of source) {
    if (type === 'test:stderr') stderr = (stderr + String(data.message)).slice(-4000);
    if (type === 'test:start') yield line({ type: 'start', name: data.name, nesting: data.nesting, file: data.file });
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const error = data.details?.error;
    yield line({
      type: type === 'test:pass' ? 'pass' : 'fail',
      name: data.name,
      nesting: data.nesting,
      file: data.file,
      suite: data.details?.type === 'suite',
      skip: data.skip !== undefined && data.skip !== false,
      todo: data.todo !== undefined && data.todo !== false,
      failureType: error?.failureType ?? null,
      cause: error === undefined ? null : cause(error),
      stderr: type === 'test:fail' && data.nesting === 0 ? stderr : '',
    });
  }
  yield line({ type: 'end' });
}
`;
