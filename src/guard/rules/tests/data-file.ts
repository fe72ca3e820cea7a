import { parse as parseYaml } from 'yaml';
import type { FileChange } from '../../model/change.ts';
import { isSubsequence } from './table-rows.ts';

/** What is wrong with the change of a file of test data; null when it only gains whole entries. */
export function dataFileFault({ path, base, head }: FileChange): string | null {
  if (base === null) return null;
  if (head === null) return 'is removed';
  const [old, now] = [base.text, head.text];
  if (old === null || now === null) return 'changes and cannot be read';
  if (old.replace(/\r\n/g, '\n').trimEnd() === now.replace(/\r\n/g, '\n').trimEnd()) return null;
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (/\.(js|ts|jsx|tsx|mjs|cjs|vue)\.snap$|^.*\.snap$/.test(name) && /^exports\[/m.test(old))
    return snapshotFault(old, now);
  if (/\.(golden|snap|approved\..*|verified\..*|expected|expect|out|html|svg|xml)$/.test(name))
    return 'holds one expected result, which changes';
  if (/\.jsonc?5?$/.test(name)) return keptIn(() => [JSON.parse(old), JSON.parse(now)], old, now);
  if (/\.ya?ml$/.test(name))
    return keptIn(
      () => [parseYaml(old, { uniqueKeys: true }), parseYaml(now, { uniqueKeys: true })],
      old,
      now,
    );
  return linesFault(old, now);
}

function keptIn(read: () => [unknown, unknown], old: string, now: string): string | null {
  try {
    const [left, right] = read();
    return isKept(left, right, true) ? null : 'loses or changes entries';
  } catch {
    return linesFault(old, now);
  }
}

/** Whether the old value is in the new one, with nothing but whole entries added: rows of the outer lists, keys of the outer object. */
function isKept(old: unknown, now: unknown, outer: boolean): boolean {
  if (Array.isArray(old) && Array.isArray(now)) {
    const [left, right] = [old.map((each) => JSON.stringify(each)), now.map((each) => JSON.stringify(each))];
    return outer ? isSubsequence(left, right) : JSON.stringify(old) === JSON.stringify(now);
  }
  if (isObject(old) && isObject(now) && outer) {
    return Object.keys(old).every(
      (key) =>
        Object.hasOwn(now, key) &&
        isKept(old[key], now[key], Array.isArray(old[key]) && old[key].some(isObject)),
    );
  }
  return JSON.stringify(old) === JSON.stringify(now);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function linesFault(old: string, now: string): string | null {
  const [left, right] = [lines(old), lines(now)];
  return left.every((line, index) => right[index] === line) ? null : 'is not only added to at its end';
}

function lines(text: string): string[] {
  return text.replace(/\r\n/g, '\n').replace(/\n+$/, '').split('\n');
}

function snapshotFault(old: string, now: string): string | null {
  const [before, after] = [snapshots(old), snapshots(now)];
  if (before === null || after === null) return 'is a snapshot file that cannot be read';
  const lost = [...before].find(([title, value]) => after.get(title) !== value);
  return lost === undefined ? null : `loses or changes the snapshot ${lost[0]}`;
}

function snapshots(text: string): Map<string, string> | null {
  const found = new Map<string, string>();
  for (const match of text.matchAll(/^exports\[(`(?:[^`\\]|\\[\s\S])*`)\] = (`(?:[^`\\]|\\[\s\S])*`);$/gm)) {
    if (found.has(match[1] ?? '')) return null;
    found.set(match[1] ?? '', match[2] ?? '');
  }
  const rest = text
    .replace(/^exports\[`(?:[^`\\]|\\[\s\S])*`\] = `(?:[^`\\]|\\[\s\S])*`;$/gm, '')
    .replace(/^\/\/.*$/gm, '');
  return rest.trim() === '' ? found : null;
}
