import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import picomatch from 'picomatch';
import { isRecord } from './item.ts';
import { readText, unreadable } from './load-pipeline.ts';

/** Values of the files that a phase takes its items from. */
export interface FileValues {
  readonly values: readonly unknown[];
  readonly files: readonly string[];
}

/**
 * The values in files: a list in JSON, a list under `key`, or one value a line. Throws CcdError `batch.unreadable` (operator) when
 * no file is there or one of them holds something else: a missing input is no empty one.
 */
export async function readValues(
  pattern: string,
  key: string | undefined,
  folder: string,
): Promise<FileValues> {
  const files = await matching(pattern, folder);
  if (files.length === 0) throw unreadable(resolve(folder, pattern), 'no such file is there');
  const values: unknown[] = [];
  for (const file of files) values.push(...valuesIn(await readText(file), key, file));
  return { values, files };
}

async function matching(pattern: string, folder: string): Promise<string[]> {
  const { base, glob } = picomatch.scan(pattern);
  if (glob === '') return [resolve(folder, pattern)];
  const root = resolve(folder, base);
  const isWanted = picomatch(glob);
  const found = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => isWanted(relative(root, path)))
    .sort();
}

function valuesIn(text: string, key: string | undefined, file: string): readonly unknown[] {
  const whole = parsed(text);
  if (whole !== undefined) {
    const list = key === undefined ? whole : isRecord(whole) ? whole[key] : undefined;
    if (Array.isArray(list)) return list;
    // One line of NDJSON is a JSON document, too.
    if (key === undefined && /\.(?:ndjson|jsonl)$/.test(file)) return [whole];
    throw unreadable(file, key === undefined ? 'it holds no list' : `it holds no list "${key}"`);
  }
  if (key !== undefined) throw unreadable(file, 'it is no JSON');
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const value = parsed(line);
    if (value === undefined) throw unreadable(file, `line ${index + 1} is no JSON`);
    return [value];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
