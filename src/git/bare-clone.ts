import { mkdir, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CcdError } from '../domain/errors.ts';
import { type Oid, oidSchema } from '../domain/ids.ts';
import { tokenConfig } from './git-environment.ts';
import { createMutex } from './mutex.ts';
import { type ObjectReader, openObjects } from './objects.ts';
import { writePushCheck } from './push-check.ts';
import type { RefName } from './refs.ts';
import { type GitCall, type GitEnd, git, gitFault, gitText, tryGit } from './run-git.ts';

/** Where refs stood at one moment. */
export type RefMap = ReadonlyMap<RefName, Oid>;

export interface CloneOptions {
  /** Folder of the clone; this process alone uses it, and it may be deleted whenever the process is down. */
  readonly dir: string;
  readonly remoteUrl: string;
  /** A fresh token for the remote; the empty text for remotes that need none. */
  readonly token: () => Promise<string>;
}

/** The app's bare copy of one repository: a cache, never a truth. */
export interface Clone {
  readonly dir: string;
  readonly remoteUrl: string;
  /** Hooks folder that holds the pre-push check and nothing else. */
  readonly checksPath: string;
  readonly objects: ObjectReader;
  /** Runs git in the clone, without network. */
  run(call: Omit<GitCall, 'gitDir'>): Promise<GitEnd>;
  /** Runs git in the clone with the remote's token. */
  runRemote(call: Omit<GitCall, 'gitDir'>): Promise<GitEnd>;
  /** Work that must not overlap with other fetches and pushes of this clone. */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Brings the watched refs to where the remote has them, dropping what is gone there, and tells where they stand.
   * A damaged clone is made anew. Throws `git.fetch-failed` when the remote cannot be read.
   */
  fetch(extra?: readonly string[]): Promise<RefMap>;
  /** Fetches commits by id, with their history. False when the remote does not have (or show) one of them. */
  fetchCommits(oids: readonly Oid[]): Promise<boolean>;
  /** The remote's refs as it tells them now, without objects; the read after an unclear push. */
  lsRemote(patterns?: readonly string[]): Promise<RefMap>;
  close(): Promise<void>;
}

const watched = ['+refs/heads/*:refs/heads/*', '+refs/ccd/*:refs/ccd/*'] as const;

type Run = Clone['run'];

interface Cache {
  readonly dir: string;
  readonly remoteUrl: string;
  readonly objects: ObjectReader;
  readonly runRemote: Run;
}

/** Opens the cache in `dir`, made anew when there is none or when it is damaged. */
export async function openClone(options: CloneOptions): Promise<Clone> {
  const dir = resolve(options.dir);
  const { remoteUrl } = options;
  const mutex = createMutex();
  const objects = openObjects(dir);
  const run: Run = async (call) => await tryGit({ ...call, gitDir: dir });
  const runRemote: Run = async (call) => {
    const { config, secrets } = tokenConfig(remoteUrl, await options.token());
    return await run({ ...call, config: [...config, ...(call.config ?? [])], secrets });
  };
  const cache = { dir, remoteUrl, objects, runRemote };
  if (await isSound(dir)) await settle(dir);
  else await renew(cache);
  return {
    dir,
    remoteUrl,
    checksPath: join(dir, 'ccd-checks'),
    objects,
    run,
    runRemote,
    exclusive: mutex.run,
    fetch: (extra = []) => mutex.run(() => fetchRefs(cache, extra)),
    fetchCommits: (oids) => mutex.run(() => fetchByIds(cache, oids)),
    lsRemote: (patterns = []) => readRemoteRefs(cache, patterns),
    close: () => mutex.run(() => objects.close()),
  };
}

const quietly = ['--no-tags', '--no-write-fetch-head', '--no-auto-maintenance'] as const;

async function fetchRefs(cache: Cache, extra: readonly string[]): Promise<RefMap> {
  const { dir, objects } = cache;
  const health = objects.health();
  if (health !== 'sound') await objects.close();
  if (health === 'damaged' || (health === 'suspect' && !(await isComplete(dir)))) await renew(cache);
  const call = { args: ['fetch', '--prune', '--force', ...quietly, cache.remoteUrl, ...watched, ...extra] };
  let end = await cache.runRemote(call);
  if (saysDamaged(end) || (failed(end) && !(await isSound(dir)))) {
    await renew(cache);
    end = await cache.runRemote(call);
  }
  if (failed(end)) throw fetchFault(end);
  return parseRefs(
    await gitText({ args: ['for-each-ref', '--format=%(objectname) %(refname)'], gitDir: dir }),
  );
}

async function fetchByIds(cache: Cache, oids: readonly Oid[]): Promise<boolean> {
  const wanted = oids.map((oid) => oidSchema.parse(oid));
  const end = await cache.runRemote({ args: ['fetch', ...quietly, cache.remoteUrl, ...wanted] });
  if (!failed(end)) return true;
  if (/not our ref|couldn't find remote ref|no such remote ref|unadvertised object/i.test(end.stderr))
    return false;
  throw fetchFault(end);
}

async function readRemoteRefs(cache: Cache, patterns: readonly string[]): Promise<RefMap> {
  const end = await cache.runRemote({
    args: ['ls-remote', '--refs', '--quiet', cache.remoteUrl, ...patterns],
  });
  if (failed(end)) throw fetchFault(end);
  return parseRefs(end.stdout.toString('utf8'));
}

async function renew({ dir, objects }: Cache): Promise<void> {
  await objects.close();
  await rm(dir, { recursive: true, force: true });
  await createBare(dir);
}

/** An unborn HEAD outside every namespace: no commit's attributes are ever taken for the repository's own. */
async function createBare(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  await git({ args: ['init', '--quiet', '--bare', '--template=', '--object-format=sha1', dir] });
  await git({ args: ['symbolic-ref', 'HEAD', 'refs/none/none'], gitDir: dir });
  await settle(dir);
}

/** Leftovers of a killed git are locks that nobody holds: the folder is this process's own. */
async function settle(dir: string): Promise<void> {
  const names = await readdir(dir, { recursive: true });
  for (const name of names) {
    if (name.endsWith('.lock') || /(^|\/)tmp_(obj|pack|idx)_/.test(name))
      await rm(join(dir, name), { force: true });
  }
  await writePushCheck(join(dir, 'ccd-checks'));
}

/** Does every ref of this folder name a commit that is there? History behind it is proven by the next fetch. */
async function isSound(dir: string): Promise<boolean> {
  const bare = await tryGit({ args: ['rev-parse', '--is-bare-repository'], gitDir: dir });
  if (failed(bare) || bare.stdout.toString('utf8').trim() !== 'true') return false;
  const heads = await tryGit({
    args: ['for-each-ref', '--format=%(objectname) %(objecttype) %(tree)'],
    gitDir: dir,
  });
  return !failed(heads);
}

/** Is everything there that the refs lead to? As slow as the history is long, so asked only on suspicion. */
async function isComplete(dir: string): Promise<boolean> {
  const call = { args: ['rev-list', '--objects', '--quiet', '--all'], gitDir: dir, timeoutMs: 600_000 };
  return !failed(await tryGit(call));
}

function failed(end: GitEnd): boolean {
  return end.kind === 'stopped' || end.code !== 0;
}

function parseRefs(text: string): RefMap {
  const refs = new Map<RefName, Oid>();
  for (const line of text.split('\n')) {
    const [oid, ref] = line.split(/[ \t]/);
    if (oid !== undefined && ref !== undefined) refs.set(ref, oidSchema.parse(oid));
  }
  return refs;
}

function saysDamaged(end: GitEnd): boolean {
  return (
    failed(end) &&
    /bad object|is corrupt|corrupt loose object|object file .* is empty|missing (blob|tree|commit)|unable to read|not a git repository|File exists|index-pack failed|did not send all necessary objects|cannot lock ref|bad ref|broken/i.test(
      end.stderr,
    )
  );
}

function fetchFault(end: GitEnd): CcdError {
  const fault = gitFault({ args: ['fetch'] }, end);
  return new CcdError({
    code: 'git.fetch-failed',
    message: fault.message,
    remedy: 'Check that the repository exists and that the app may read it; the next pass tries again.',
    audience: 'operator',
    retryable: true,
    cause: fault,
  });
}
