import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CcdError } from '../domain/errors.ts';
import type { Oid } from '../domain/ids.ts';
import type { Clone } from './bare-clone.ts';
import { type BundleHeader, readBundleHeader } from './bundle-header.ts';
import { type ChangedEntries, type Hazard, readChangedEntries } from './changed-entries.ts';
import type { GitConfig } from './git-environment.ts';
import { defaultImportLimits, type ImportLimits } from './import-limits.ts';
import type { PathChange } from './net-change.ts';
import { openObjects } from './objects.ts';
import { type Refusal, refused } from './refusal.ts';
import { type ChildLimits, type GitCall, type GitEnd, git, tryGit } from './run-git.ts';

export interface BundleImport {
  /** The bundle file, taken from the artifact. */
  readonly file: string;
  /** The contract's base: must be the only prerequisite and the commit's only parent, and must be in the clone. */
  readonly base: Oid;
  /** A folder that does not exist yet and is gone afterwards. */
  readonly scratch: string;
  readonly limits?: Partial<ImportLimits>;
}

export type ImportResult =
  | {
      readonly kind: 'imported';
      /** The worker's throw-away commit; it stays outside the clone. */
      readonly commit: Oid;
      /** The tree, now in the clone with everything it needs. */
      readonly tree: Oid;
      readonly changes: readonly PathChange[];
      /** Symlinks and gitlinks that the change brings or alters: for policy to allow or refuse. */
      readonly hazards: readonly Hazard[];
    }
  | Refusal;

/**
 * Takes the tree out of a hostile bundle. The pack is read by a child with limits in a throw-away repository that holds
 * the base and nothing else of ours; what is found is checked name by name; then only the objects of that tree are copied
 * into the clone. Refusals are values; a fault means that our own side failed.
 */
export async function importBundle(clone: Clone, request: BundleImport): Promise<ImportResult> {
  const limits = { ...defaultImportLimits, ...request.limits };
  const header = await readHeader(request, limits);
  if (header.kind === 'refused') return header;
  if (!(await clone.objects.exists(request.base))) return refused('no-base', request.base);
  try {
    await prepareScratch(clone, request);
    const broken = await unpack(request, header, limits);
    return broken ?? (await takeTree(clone, request, header.commit, limits));
  } finally {
    await rm(request.scratch, { recursive: true, force: true });
  }
}

async function readHeader(request: BundleImport, limits: ImportLimits): Promise<BundleHeader | Refusal> {
  const { size } = await stat(request.file);
  if (size > limits.bundleBytes) return refused('too-large', `a bundle of ${size} bytes`);
  const handle = await open(request.file, 'r');
  try {
    const bytes = Buffer.alloc(Math.min(size, 8192));
    await handle.read(bytes, 0, bytes.length, 0);
    const header = readBundleHeader(bytes, request.base);
    if (header.kind === 'header' && header.objects > limits.objects) {
      return refused('too-many-objects', `${header.objects} objects`);
    }
    return header;
  } finally {
    await handle.close();
  }
}

/** The base commit without its history; packs of the bundle may build on its objects. */
async function prepareScratch(clone: Clone, { scratch, base }: BundleImport): Promise<void> {
  await git({ args: ['init', '--quiet', '--bare', '--template=', '--object-format=sha1', scratch] });
  const source = `file://${clone.dir}`;
  await git({
    args: [
      'fetch',
      '--quiet',
      '--depth=1',
      '--no-tags',
      '--no-write-fetch-head',
      source,
      `${base}:refs/ccd/base`,
    ],
    gitDir: scratch,
  });
}

/** Small windows and one thread, so that the memory limit is a limit and not an accident. */
const lean: readonly GitConfig[] = [
  ['core.packedGitWindowSize', '16m'],
  ['core.packedGitLimit', '128m'],
  ['core.deltaBaseCacheLimit', '16m'],
  ['core.bigFileThreshold', '8m'],
];

async function unpack(
  request: BundleImport,
  header: BundleHeader,
  limits: ImportLimits,
): Promise<Refusal | null> {
  const bundle = await readPack(request.file, header.packAt);
  const end = await tryGit({
    args: ['index-pack', '--stdin', '--strict', '--fix-thin', `--max-input-size=${limits.bundleBytes}`],
    gitDir: request.scratch,
    input: bundle,
    config: lean,
    limits: childLimits(limits),
    timeoutMs: limits.seconds * 1000,
    maxOutputBytes: 1024 * 1024,
  });
  if (end.kind === 'exited' && end.code === 0) return null;
  if (end.kind === 'exited' && !/out of memory|mmap failed|malloc|File size limit/i.test(end.stderr)) {
    return end.code > 128 ? refused('limits', `exit ${end.code}`) : refused('objects', end.stderr);
  }
  return refused('limits', end.kind === 'stopped' ? end.because : end.stderr);
}

async function readPack(file: string, packAt: number): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    return (await handle.readFile()).subarray(packAt);
  } finally {
    await handle.close();
  }
}

function childLimits(limits: ImportLimits): ChildLimits {
  return { cpuSeconds: limits.seconds, memoryBytes: limits.memoryBytes, fileBytes: limits.totalBytes * 2 };
}

async function takeTree(
  clone: Clone,
  request: BundleImport,
  commit: Oid,
  limits: ImportLimits,
): Promise<ImportResult> {
  const objects = openObjects(request.scratch, { ...childLimits(limits), cpuSeconds: limits.seconds * 2 });
  try {
    const info = await objects.info(commit);
    if (info?.kind !== 'commit' || info.size > 65_536)
      return refused('commit', 'no commit, or one that is too large');
    const { tree, parents } = await objects.readCommit(commit);
    if (parents.length !== 1 || parents[0] !== request.base)
      return refused('commit', 'the base must be the only parent');
    const { tree: baseTree } = await clone.objects.readCommit(request.base);
    const entries = await readChangedEntries(objects, baseTree, tree, limits);
    if (entries.kind === 'refused') return entries;
    await copyObjects(clone, request.scratch, entries, limits);
    return { kind: 'imported', commit, tree, changes: entries.changes, hazards: entries.hazards };
  } catch (fault) {
    if (fault instanceof CcdError && /^git\.(object|tree|commit)-/.test(fault.code))
      return refused('objects', fault.message);
    throw fault;
  } finally {
    await objects.close();
  }
}

/** A pack of exactly these objects, none of them as a difference to something that is left behind. */
async function copyObjects(
  clone: Clone,
  scratch: string,
  entries: ChangedEntries,
  limits: ImportLimits,
): Promise<void> {
  if (entries.objects.length === 0) return;
  const pack = await git({
    args: ['pack-objects', '--stdout', '--quiet', '--window=0'],
    gitDir: scratch,
    input: `${entries.objects.join('\n')}\n`,
    config: lean,
    maxOutputBytes: limits.totalBytes * 2,
  });
  const call: Omit<GitCall, 'gitDir'> = {
    args: ['index-pack', '--stdin', '--strict'],
    input: pack,
    config: lean,
  };
  const end: GitEnd = await clone.run(call);
  if (end.kind === 'exited' && end.code === 0) return;
  throw new CcdError({
    code: 'git.import-failed',
    message: `A checked tree could not be copied into ${join(clone.dir)}: ${end.stderr.slice(-500)}`,
    remedy: 'Look at the free space of the disk; the next pass tries again.',
    audience: 'operator',
  });
}
