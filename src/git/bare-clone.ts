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

/** Opens the cache in `dir`, made anew when there is none or when it is damaged. */
export async function openClone(options: CloneOptions): Promise<Clone> {
  const dir = resolve(options.dir);
  const mutex = createMutex();
  const objects = openObjects(dir);
  const run = async (call: Omit<GitCall, 'gitDir'>) => await tryGit({ ...call, gitDir: dir });
  const runRemote = async (call: Omit<GitCall, 'gitDir'>) => {
    const { config, secrets } = tokenConfig(options.remoteUrl, await options.token());
    return await run({ ...call, config: [...config, ...(call.config ?? [])], secrets });
  };
  const renew = async () => {
    await objects.close();
    await rm(dir, { recursive: true, force: true });
    await createBare(dir);
  };
  if (!(await isSound(dir))) await renew();
  else await settle(dir);
  const fetchOnce = async (extra: readonly string[]) =>
    await runRemote({
      args: [
        'fetch',
        '--prune',
        '--no-tags',
        '--no-write-fetch-head',
        '--no-auto-maintenance',
        '--force',
        options.remoteUrl,
        ...watched,
        ...extra,
      ],
    });
  return {
    dir,
    remoteUrl: options.remoteUrl,
    checksPath: join(dir, 'ccd-checks'),
    objects,
    run,
    runRemote,
    exclusive: mutex.run,
    fetch: (extra = []) =>
      mutex.run(async () => {
        if (objects.damaged() || !(await isSound(dir))) await renew();
        let end = await fetchOnce(extra);
        if (saysDamaged(end)) {
          await renew();
          end = await fetchOnce(extra);
        }
        if (end.kind === 'stopped' || end.code !== 0) throw fetchFault(end);
        return await readRefs(dir);
      }),
    fetchCommits: (oids) =>
      mutex.run(async () => {
        const end = await runRemote({
          args: [
            'fetch',
            '--no-tags',
            '--no-write-fetch-head',
            '--no-auto-maintenance',
            options.remoteUrl,
            ...oids.map((oid) => oidSchema.parse(oid)),
          ],
        });
        if (end.kind === 'exited' && end.code === 0) return true;
        if (/not our ref|couldn't find remote ref|no such remote ref|unadvertised object/i.test(end.stderr))
          return false;
        throw fetchFault(end);
      }),
    lsRemote: async (patterns = []) => {
      const call = { args: ['ls-remote', '--refs', '--quiet', options.remoteUrl, ...patterns] };
      const end = await runRemote(call);
      if (end.kind === 'stopped' || end.code !== 0) throw fetchFault(end);
      return parseRefs(end.stdout.toString('utf8'), /\t/);
    },
    close: () => mutex.run(() => objects.close()),
  };
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
  if (bare.kind === 'stopped' || bare.code !== 0 || bare.stdout.toString('utf8').trim() !== 'true')
    return false;
  const heads = await tryGit({
    args: ['for-each-ref', '--format=%(objectname) %(objecttype) %(tree)'],
    gitDir: dir,
  });
  return heads.kind === 'exited' && heads.code === 0;
}

async function readRefs(dir: string): Promise<RefMap> {
  return parseRefs(
    await gitText({ args: ['for-each-ref', '--format=%(objectname) %(refname)'], gitDir: dir }),
    / /,
  );
}

function parseRefs(text: string, separator: RegExp): RefMap {
  const refs = new Map<RefName, Oid>();
  for (const line of text.split('\n')) {
    const [oid, ref] = line.split(separator);
    if (oid !== undefined && ref !== undefined) refs.set(ref, oidSchema.parse(oid));
  }
  return refs;
}

function saysDamaged(end: GitEnd): boolean {
  return (
    end.kind === 'exited' &&
    end.code !== 0 &&
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
