import { isAbsolute, posix, relative, sep } from 'node:path';
import type { ExecutedTest, TestStatus } from '../../../domain/facts.ts';

/** Name of the pseudo test that stands for loading a file of tests. */
export const fileTestName = '(file)';

const maxMessage = 2000;
const maxId = 2000;

export interface TestParts {
  readonly path: string;
  readonly names: readonly string[];
  readonly status: TestStatus;
  readonly failure?: ExecutedTest['failure'];
  readonly message?: string | null;
}

/** A test of a report in the form of the facts schema: nested names are joined, long texts cut, control characters removed. */
export function executedTest(parts: TestParts): ExecutedTest {
  const name = parts.names.length === 0 ? fileTestName : parts.names.join(' > ');
  const failed = parts.status === 'failed';
  return {
    id: plainLine(`${parts.path}::${name}`).slice(0, maxId),
    status: parts.status,
    failure: failed ? (parts.failure ?? 'unknown') : null,
    message: failed && parts.message ? plainText(parts.message).slice(0, maxMessage) : null,
  };
}

function plainLine(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd').replace(/[\u0000-\u001f\u007f]+/g, ' ');
}

function plainText(text: string): string {
  // Colour codes first, then what is left of control characters but line breaks and tabs.
  return text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/\u001b\[[0-9;]*m/g, '')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '');
}

/** Path of a file in the tree, with `/`; null when it lies outside. */
export function pathInTree(path: string, root: string, folder: string): string | null {
  const inside = isAbsolute(path) ? relative(root, path) : posix.join(folder, path);
  const normal = posix.normalize(inside.split(sep).join('/'));
  if (normal === '..' || normal.startsWith('../') || normal.startsWith('/') || normal === '.') return null;
  return normal;
}

/**
 * Whether a failure message tells of an assertion, of another error, or nothing that we can read. The words are those of
 * node:assert, chai, expect, pytest and PHPUnit.
 */
export function failureOf(message: string): NonNullable<ExecutedTest['failure']> {
  const first = message.trimStart();
  if (first === '') return 'unknown';
  if (/^(?:\w+\.)*Assert(?:ion)?(?:Error|FailedError|ionFailedError)\b/i.test(first)) return 'assertion';
  if (/^(?:Uncaught\s+)?(?:AssertionError|AssertionFailedError|ExpectationFailedException)\b/.test(first))
    return 'assertion';
  if (/^(?:Error:\s*)?(?:\u001b\[[0-9;]*m)*expect\(/.test(first)) return 'assertion';
  if (/^assert\b/.test(first) || /^Failed: /.test(first)) return 'assertion';
  if (/^(?:[\w$.]*\.)?[A-Za-z_$][\w$]*(?:Error|Exception|Warning|Exit|Interrupt)\b/.test(first))
    return 'error';
  return 'unknown';
}
