import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../host/files.ts';
import { createActions, type LocalActions } from '../actions/actions.ts';
import { type LocalGitHub, type StartOptions, start } from '../server.ts';
import { BlobFolder } from './blob-folder.ts';
import { catchUp } from './catch-up.ts';
import { lockFolder } from './data-lock.ts';
import { decode, encode } from './encode.ts';
import { removeHalfWritten, removeLeftOvers } from './left-overs.ts';
import { moveIn, roomsOf } from './rooms.ts';
import { asSavedFile, broken, fromSavedFile } from './saved-file.ts';
import { Saver } from './saver.ts';

/** A local GitHub whose state lives on in its folder. */
export interface KeptGitHub {
  readonly github: LocalGitHub;
  readonly actions: LocalActions;
  /** True when the folder had a state. */
  readonly reopened: boolean;
  /** What a person should hear of: what was found and did not fit. */
  readonly warnings: readonly string[];
  /** Saves at once. Changes that come as requests or events are saved by themselves, about a second later. */
  save(): Promise<void>;
  /** Ends what runs, saves, stops serving, gives the folder back. */
  close(): Promise<void>;
}

/**
 * Opens the local GitHub that a folder keeps, or begins one in it. The folder is this process's alone until it closes.
 * Throws `local.data-in-use`, `local.data-version`, `local.data-broken`, and what `start` throws; nothing was changed then.
 */
export async function openKept(
  options: StartOptions,
  saveFailed: (fault: unknown) => void,
): Promise<KeptGitHub> {
  const { dataDir } = options;
  await mkdir(dataDir, { recursive: true });
  const unlock = lockFolder(dataDir);
  try {
    return await openLocked(options, saveFailed, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

async function openLocked(
  options: StartOptions,
  saveFailed: (fault: unknown) => void,
  unlock: () => void,
): Promise<KeptGitHub> {
  const { dataDir } = options;
  const path = join(dataDir, 'state');
  const blobs = new BlobFolder(join(dataDir, 'blobs'));
  const saved = await read(path, dataDir, blobs);
  let actions!: LocalActions;
  const github = await start({
    ...options,
    // Before it listens: nobody sees it empty.
    prepare: (empty) => {
      actions = createActions(empty);
      if (saved === null) return;
      try {
        moveIn(saved, empty, actions);
      } catch (error) {
        throw broken(path, error);
      }
    },
  });
  const saver = new Saver(writer(github, actions, path, blobs), saveFailed);
  watch(github, actions, saver);
  const warnings = await caughtUp(github, actions, path);
  return {
    github,
    actions,
    reopened: saved !== null,
    warnings,
    save: () => saver.now(),
    close: async () => {
      await actions.close();
      await github.close();
      try {
        await saver.close();
      } finally {
        unlock();
      }
    },
  };
}

/** A server that cannot go on from its state is no server: it stops listening. */
async function caughtUp(github: LocalGitHub, actions: LocalActions, path: string): Promise<string[]> {
  try {
    await removeHalfWritten(github.store.dataDir);
    for (const repo of github.store.repos.values()) await removeLeftOvers(repo.git.dir);
    return await catchUp(github, actions);
  } catch (error) {
    await actions.close();
    await github.close();
    throw broken(path, error);
  }
}

async function read(path: string, dataDir: string, blobs: BlobFolder): Promise<unknown> {
  const file = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error.code === 'EISDIR' ? broken(path, error) : error;
  });
  if (file === null) return null;
  const text = fromSavedFile(file, path);
  try {
    return decode(text, dataDir, blobs);
  } catch (error) {
    throw broken(path, error);
  }
}

/** Writes the state when it is another than the last one. */
function writer(
  github: LocalGitHub,
  actions: LocalActions,
  path: string,
  blobs: BlobFolder,
): () => Promise<void> {
  const { store } = github;
  let last = '';
  return async () => {
    const names = new Set<string>();
    const text = encode(roomsOf(github, actions), store.dataDir, blobs, names);
    const digest = createHash('sha256').update(text).digest('hex');
    if (digest === last) return;
    await writeFileAtomic(path, asSavedFile(text, store.now()));
    last = digest;
    blobs.keepOnly(names);
  };
}

/** A request that is no read, an event, a step of a run: each may have changed something. */
function watch(github: LocalGitHub, actions: LocalActions, saver: Saver): void {
  github.store.events.onAny(() => saver.touch());
  actions.engine.events.onAny(() => saver.touch());
  github.mountRaw((request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') response.once('close', () => saver.touch());
    return false;
  });
}
