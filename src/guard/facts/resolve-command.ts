import { posix } from 'node:path';
import { type ShellSegment, shellSegments } from './shell-words.ts';

/** Scripts of the `package.json` in a folder of the base tree (`''` is the root); null when there is none. */
export type ScriptsOf = (folder: string) => Readonly<Record<string, string>> | null;

/** One simple command of a test command, with the folder of the tree that it runs in. */
export interface ResolvedSegment extends ShellSegment {
  readonly folder: string;
}

const maxDepth = 5;
const npmLike = new Set(['npm', 'pnpm', 'yarn', 'bun']);

/**
 * Writes out what a test command runs: package scripts are replaced by their text, with the scripts that npm runs before
 * and after them, so that the test runner itself comes into sight. What cannot be followed stays as it is. Never throws.
 */
export function resolveCommand(command: string, scriptsOf: ScriptsOf): ResolvedSegment[] {
  return resolveIn(command, '', scriptsOf, 0);
}

function resolveIn(command: string, start: string, scriptsOf: ScriptsOf, depth: number): ResolvedSegment[] {
  const resolved: ResolvedSegment[] = [];
  let folder = start;
  for (const segment of shellSegments(command)) {
    const script = depth < maxDepth ? scriptOf(segment, scriptsOf(folder)) : null;
    if (script === null) resolved.push({ ...segment, folder });
    else resolved.push(...withOperator(resolveIn(script, folder, scriptsOf, depth + 1), segment.after));
    folder = folderAfter(segment, folder);
  }
  return resolved;
}

/** The operator that followed the script call follows the last command of the script. */
function withOperator(segments: ResolvedSegment[], after: string): ResolvedSegment[] {
  return segments.map((segment, index) => (index === segments.length - 1 ? { ...segment, after } : segment));
}

function folderAfter({ words, after }: ShellSegment, folder: string): string {
  const [program, target, ...rest] = words;
  if (program?.text !== 'cd' || target === undefined || rest.length > 0 || after === '|') return folder;
  const next = posix.normalize(posix.join(folder, target.text));
  return next === '.' ? '' : next.replace(/\/$/, '');
}

interface ScriptCall {
  readonly name: string;
  readonly args: string;
}

function scriptOf(segment: ShellSegment, scripts: Readonly<Record<string, string>> | null): string | null {
  if (scripts === null) return null;
  const call = scriptCall(segment);
  if (call === null) return null;
  const body = scripts[call.name];
  if (body === undefined) return null;
  const around = (prefix: string) => {
    const text = scripts[`${prefix}${call.name}`];
    return text === undefined ? [] : [text];
  };
  return [...around('pre'), `${body}${call.args}`, ...around('post')].join(' && ');
}

/** Which script a call like `npm test -- --bail` runs, and the arguments that it appends; null when it is no such call. */
function scriptCall({ words, source }: ShellSegment): ScriptCall | null {
  const texts = words.map(({ text }) => text);
  if (!npmLike.has(texts[0] ?? '')) return null;
  let at = 1;
  while (isQuietFlag(texts[at])) at += 1;
  const word = texts[at];
  if (word === undefined) return null;
  const isRun = word === 'run' || word === 'run-script';
  const isTest = word === 'test' || word === 't' || word === 'tst';
  const isOther = texts[0] !== 'npm' && /^[A-Za-z0-9:_.-]+$/.test(word);
  if (!isRun && !isTest && !isOther) return null;
  if (isRun) at += 1;
  while (isQuietFlag(texts[at])) at += 1;
  const name = isTest ? 'test' : texts[at];
  if (name === undefined || name.startsWith('-')) return null;
  const last = words[at];
  const tail = last === undefined ? '' : source.slice(last.end).replace(/^\s+--(?=\s)/, '');
  if (texts[0] === 'npm' && tail.trim() !== '' && !/^\s+--\s/.test(source.slice(last?.end ?? 0))) return null;
  return { name, args: tail.trimEnd() };
}

function isQuietFlag(text: string | undefined): boolean {
  return (
    text === '-s' || text === '--silent' || text === '-q' || text === '--quiet' || text === '--if-present'
  );
}

/** A shell command that runs the segments as they were joined. */
export function joinSegments(segments: readonly { source: string; after: string }[]): string {
  return segments.map(({ source, after }) => (after === '' ? source : `${source} ${after} `)).join('');
}
