import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Oid } from '../domain/ids.ts';
import {
  type Change,
  type FileChange,
  type FileMode,
  type FileSide,
  fileSide,
  type ReadOutcome,
  type TreeEntry,
  type TreeSide,
  type Unreadable,
} from '../guard/model/change.ts';
import { tryGit } from './run-git.ts';

/** Caps of our own; beyond them nobody is blamed, the change is not judged. */
export interface ReadLimits {
  readonly maxPaths: number;
  readonly maxBytes: number;
  readonly maxContextBytes: number;
}

export interface ReadOptions {
  readonly limits?: Partial<ReadLimits>;
  /** Unchanged paths of the head that the rules want to see, most wanted first; read until the context cap. */
  readonly selectContext?: (head: TreeSide, changed: ReadonlySet<string>) => readonly string[];
}

const defaultLimits: ReadLimits = {
  maxPaths: 5000,
  maxBytes: 50 * 1024 * 1024,
  maxContextBytes: 10 * 1024 * 1024,
};

/**
 * Reads the change between two revisions of a repository (bare or with a work tree) from git objects alone: both trees are
 * listed whole and compared by mode and object id, so that no rename, attribute, filter or patch text plays a part.
 * An unknown revision, a missing object, a tool fault and our own caps are `could-not-judge`.
 */
export async function readChange(
  repoDir: string,
  baseRev: string,
  headRev: string,
  options: ReadOptions = {},
): Promise<ReadOutcome> {
  const limits = { ...defaultLimits, ...options.limits };
  const gitDir = await findGitDir(repoDir);
  if (gitDir === null) return unjudged(`${repoDir} is no git repository`);
  const [base, head] = await Promise.all([readTree(gitDir, baseRev), readTree(gitDir, headRev)]);
  if ('reason' in base) return unjudged(base.reason);
  if ('reason' in head) return unjudged(head.reason);
  const paths = changedPaths(base.side, head.side);
  if (paths.length > limits.maxPaths)
    return unjudged(`${paths.length} paths change, more than ${limits.maxPaths}`);
  const context = options.selectContext?.(head.side, new Set(paths)) ?? [];
  const blobs = await readBlobs(gitDir, blobIds(base.side, head.side, paths), limits.maxBytes);
  if ('reason' in blobs) return unjudged(blobs.reason);
  const contextBlobs = await readContext(gitDir, head.side, context, limits.maxContextBytes);
  if ('reason' in contextBlobs) return unjudged(contextBlobs.reason);
  const change: Change = {
    base: base.side,
    head: head.side,
    changes: paths.map((path) => pairOf(path, base.side, head.side, blobs.found)),
    context: contextBlobs.files,
    unreadable: [...unreadablePaths(base.odd, head.odd)],
  };
  return { kind: 'read', change };
}

function unjudged(reason: string): ReadOutcome {
  return { kind: 'could-not-judge', reason };
}

async function findGitDir(repoDir: string): Promise<string | null> {
  for (const candidate of [join(repoDir, '.git'), repoDir]) {
    const found = await stat(join(candidate, 'objects')).catch(() => null);
    if (found?.isDirectory()) return candidate;
  }
  const end = await tryGit({ args: ['-C', repoDir, 'rev-parse', '--absolute-git-dir'] });
  return end.kind === 'exited' && end.code === 0 ? end.stdout.toString('utf8').replace(/\n$/, '') : null;
}

/** Entries that git can hold but we cannot take as they are: paths that are not UTF-8 and unknown modes, by raw path. */
type OddEntries = ReadonlyMap<string, { readonly entry: string; readonly why: string }>;

type TreeRead = { readonly side: TreeSide; readonly odd: OddEntries } | { readonly reason: string };

async function findTree(gitDir: string, rev: string): Promise<Oid | null> {
  const named = await tryGit({
    args: ['rev-parse', '--verify', '--end-of-options', `${rev}^{tree}`],
    gitDir,
  });
  return named.kind === 'exited' && named.code === 0 ? named.stdout.toString('latin1').trim() : null;
}

async function readTree(gitDir: string, rev: string): Promise<TreeRead> {
  const tree = await findTree(gitDir, rev);
  if (tree === null) return { reason: `the tree of ${rev} cannot be found` };
  const listed = await tryGit({ args: ['ls-tree', '-r', '-z', '--full-tree', tree], gitDir });
  if (listed.kind !== 'exited' || listed.code !== 0) return { reason: `the tree of ${rev} cannot be listed` };
  return parseTree(tree, listed.stdout);
}

const modes: ReadonlySet<string> = new Set(['100644', '100755', '120000', '160000']);
const pathDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parseTree(tree: Oid, listing: Buffer): TreeRead {
  const entries = new Map<string, TreeEntry>();
  const odd = new Map<string, { entry: string; why: string }>();
  for (let from = 0; from < listing.length; ) {
    const tab = listing.indexOf(0x09, from);
    const nul = listing.indexOf(0x00, from);
    if (tab < 0 || nul < tab) return { reason: 'git listed a tree in an unknown form' };
    const [mode = '', , oid = ''] = listing.toString('latin1', from, tab).split(' ');
    const raw = listing.subarray(tab + 1, nul);
    from = nul + 1;
    const path = decodePath(raw);
    const key = raw.toString('latin1');
    if (path === null) odd.set(key, { entry: `${mode} ${oid}`, why: 'the path is not UTF-8' });
    else if (!modes.has(mode)) odd.set(key, { entry: `${mode} ${oid}`, why: `file mode ${mode} is unknown` });
    else entries.set(path, { mode: mode as FileMode, oid });
  }
  return { side: { tree, entries }, odd };
}

function decodePath(raw: Uint8Array): string | null {
  try {
    return pathDecoder.decode(raw);
  } catch {
    return null;
  }
}

function* unreadablePaths(base: OddEntries, head: OddEntries): Generator<Unreadable> {
  for (const [path, { entry, why }] of head) {
    if (base.get(path)?.entry !== entry) yield { path: escapeBytes(path), why };
  }
  for (const [path, { why }] of base) if (!head.has(path)) yield { path: escapeBytes(path), why };
}

function escapeBytes(latin1: string): string {
  return latin1.replace(/[^\x20-\x7e]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

function changedPaths(base: TreeSide, head: TreeSide): string[] {
  const paths: string[] = [];
  for (const [path, entry] of head.entries) {
    const old = base.entries.get(path);
    if (old === undefined || old.mode !== entry.mode || old.oid !== entry.oid) paths.push(path);
  }
  for (const path of base.entries.keys()) if (!head.entries.has(path)) paths.push(path);
  return paths.sort((left, right) => (left < right ? -1 : 1));
}

function blobIds(base: TreeSide, head: TreeSide, paths: readonly string[]): Oid[] {
  const found = new Set<Oid>();
  for (const path of paths) {
    for (const entry of [base.entries.get(path), head.entries.get(path)]) {
      if (entry !== undefined && entry.mode !== '160000') found.add(entry.oid);
    }
  }
  return [...found];
}

type Blobs = ReadonlyMap<Oid, Uint8Array>;

function pairOf(path: string, base: TreeSide, head: TreeSide, blobs: Blobs): FileChange {
  const side = (entry: TreeEntry | undefined): FileSide | null =>
    entry === undefined ? null : fileSide(entry, blobs.get(entry.oid) ?? null);
  return { path, base: side(base.entries.get(path)), head: side(head.entries.get(path)) };
}

async function readContext(
  gitDir: string,
  head: TreeSide,
  paths: readonly string[],
  maxBytes: number,
): Promise<{ readonly files: ReadonlyMap<string, FileSide> } | { readonly reason: string }> {
  const wanted = paths.flatMap((path) => {
    const entry = head.entries.get(path);
    return entry?.mode.startsWith('100') ? [{ path, entry }] : [];
  });
  const sizes = await blobSizes(gitDir, [...new Set(wanted.map(({ entry }) => entry.oid))]);
  if ('reason' in sizes) return sizes;
  let left = maxBytes;
  const taken = wanted.filter(({ entry }) => {
    left -= sizes.found.get(entry.oid) ?? 0;
    return left >= 0;
  });
  const blobs = await readBlobs(gitDir, [...new Set(taken.map(({ entry }) => entry.oid))], maxBytes);
  if ('reason' in blobs) return blobs;
  return {
    files: new Map(
      taken.map(({ path, entry }) => [path, fileSide(entry, blobs.found.get(entry.oid) ?? null)]),
    ),
  };
}

async function blobSizes(
  gitDir: string,
  oids: readonly Oid[],
): Promise<{ readonly found: ReadonlyMap<Oid, number> } | { readonly reason: string }> {
  const found = new Map<Oid, number>();
  if (oids.length === 0) return { found };
  const end = await tryGit({
    args: ['cat-file', '--batch-check', '--buffer'],
    gitDir,
    input: `${oids.join('\n')}\n`,
  });
  if (end.kind !== 'exited' || end.code !== 0)
    return { reason: 'git could not look up the objects of the change' };
  for (const line of end.stdout.toString('latin1').trimEnd().split('\n')) {
    const [oid = '', kind, size] = line.split(' ');
    if (kind !== 'blob') return { reason: `object ${oid} is ${kind === 'missing' ? 'missing' : 'no blob'}` };
    found.set(oid, Number(size));
  }
  return { found };
}

async function readBlobs(
  gitDir: string,
  oids: readonly Oid[],
  maxBytes: number,
): Promise<{ readonly found: Blobs } | { readonly reason: string }> {
  const sizes = await blobSizes(gitDir, oids);
  if ('reason' in sizes) return sizes;
  const total = [...sizes.found.values()].reduce((sum, size) => sum + size, 0);
  if (total > maxBytes) return { reason: `${total} bytes of changed files, more than ${maxBytes}` };
  const found = new Map<Oid, Uint8Array>();
  if (oids.length === 0) return { found };
  const call = { args: ['cat-file', '--batch', '--buffer'], gitDir, input: `${oids.join('\n')}\n` };
  const end = await tryGit({ ...call, maxOutputBytes: total + 200 * oids.length + 1000 });
  if (end.kind !== 'exited' || end.code !== 0)
    return { reason: 'git could not read the objects of the change' };
  return takeBlobs(end.stdout, oids, found);
}

/** Each answer: `<oid> blob <size>`, line end, that many bytes, line end. */
function takeBlobs(
  stdout: Buffer,
  oids: readonly Oid[],
  found: Map<Oid, Uint8Array>,
): { readonly found: Blobs } | { readonly reason: string } {
  let at = 0;
  for (const oid of oids) {
    const lineEnd = stdout.indexOf(0x0a, at);
    const [named, kind, size] = stdout.toString('latin1', at, Math.max(at, lineEnd)).split(' ');
    const end = lineEnd + 1 + Number(size);
    if (named !== oid || kind !== 'blob' || !(end < stdout.length))
      return { reason: `object ${oid} cannot be read` };
    found.set(oid, stdout.subarray(lineEnd + 1, end));
    at = end + 1;
  }
  return { found };
}
