import { createHmac, timingSafeEqual } from 'node:crypto';

/** Name of the file with the run's secret, in the support folder. A reporter removes it before any test starts. */
export const keyFileName = 'ccd-key';

/** Whether a text carries the mark that only the holder of the run's secret can make. */
export function isSealed(mac: string, text: string, key: string): boolean {
  const right = createHmac('sha256', key).update(text).digest('hex');
  return (
    mac.length === right.length && timingSafeEqual(Buffer.from(mac, 'latin1'), Buffer.from(right, 'latin1'))
  );
}

export type Unsealed =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** The text of a report that was written in one piece, `<mac> <text>`. */
export function unseal(report: string | null, key: string): Unsealed {
  if (report === null) return { kind: 'unreadable', reason: 'The test runner wrote no report.' };
  const text = report.slice(65);
  if (isSealed(report.slice(0, 64), text, key)) return { kind: 'text', text };
  return {
    kind: 'unreadable',
    reason: 'The report was tampered with: it does not carry the mark of its reporter.',
  };
}

/**
 * Source of a CommonJS function `seal(text)` for reporters: it takes the secret and removes its file when the reporter is
 * loaded, so that whatever outlives the runner cannot write a report in its place.
 */
export const sealSource = `const { createHmac } = require('node:crypto');
const { readFileSync, unlinkSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const key = readFileSync(join(__dirname, '${keyFileName}'), 'utf8');
unlinkSync(join(__dirname, '${keyFileName}'));
const target = readFileSync(join(__dirname, 'ccd-target'), 'utf8');
const seal = (text) => writeFileSync(target, createHmac('sha256', key).update(text).digest('hex') + ' ' + text);
`;

/** Files that `sealSource` reads. */
export function sealFiles(reportFile: string, key: string): Record<string, string> {
  return { [keyFileName]: key, 'ccd-target': reportFile };
}
