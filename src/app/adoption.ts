import { CcdError } from '../domain/errors.ts';
import type { DatabaseId } from '../domain/ids.ts';
import { ApiFailure } from '../github/api-failure.ts';
import { observeInstallations, observeInstalledRepositories } from '../github/observe/installations.ts';
import type { RepoName } from '../github/repo-name.ts';
import { systemClock } from '../host/clock.ts';
import { type AppDoors, clientFor, openRepository } from './open-repository.ts';
import { type ReconcileLoop, startLoop } from './reconcile.ts';

interface Adopted {
  readonly loop: ReconcileLoop;
  close(): Promise<void>;
}

export interface Adoption {
  /** The loops of the repositories that the app is installed on, by their full name in lower case. */
  readonly repositories: ReadonlyMap<string, Adopted>;
  /** What went wrong when installations were last read; null when all of it went well. */
  problem(): string | null;
  /** Asks for the installations to be read again. */
  hint(): void;
  close(): Promise<void>;
}

const firstFailureMs = 1_000;
const longestFailureMs = 120_000;

/**
 * Keeps one loop for each repository that the app is installed on: read at the start, on hints, and with every sweep, so that an
 * installation is found without any webhook and one that is gone loses its loop. Throws what the first read says of the app's id and
 * key (`github.unauthorized`, `github.not-found`); whatever else goes wrong is tried again, longer apart each time.
 */
export async function startAdoption(doors: AppDoors): Promise<Adoption> {
  const repositories = new Map<string, Adopted>();
  const state = { stopping: false, hinted: false, failures: 0, problem: null as string | null };
  let wake = new AbortController();
  const look = async () => {
    state.hinted = false;
    state.problem = await adoptAll(doors, repositories);
    state.failures = state.problem === null ? 0 : state.failures + 1;
  };
  const note = (error: unknown) => {
    state.failures += 1;
    state.problem = describe(error);
    doors.log.error('installations cannot be read', { problem: state.problem });
  };
  // A token that a wrong clock signed is refused once: the answer has put the clock right.
  const again = (error: unknown) => {
    if (!isWrongApp(error)) throw error;
    return look();
  };
  await look()
    .catch(again)
    .catch((error: unknown) => {
      if (isWrongApp(error)) throw error;
      note(error);
    });
  const run = async () => {
    while (!state.stopping) {
      const backoff = Math.min(firstFailureMs * 2 ** (state.failures - 1), longestFailureMs);
      const waitMs = state.failures > 0 ? backoff : doors.config.sweepMs;
      if (!state.hinted) await systemClock.sleep(waitMs, wake.signal);
      wake = new AbortController();
      if (!state.stopping) await look().catch(note);
    }
  };
  const ended = run();
  return {
    repositories,
    problem: () => state.problem,
    hint: () => {
      state.hinted = true;
      wake.abort();
    },
    close: async () => {
      state.stopping = true;
      wake.abort();
      await ended;
      await Promise.all([...repositories.values()].map((adopted) => adopted.close()));
    },
  };
}

/** The app's own id or key is refused: nothing that time would mend. */
function isWrongApp(error: unknown): boolean {
  return (
    error instanceof ApiFailure && ['unauthorized', 'not-found', 'forbidden'].includes(error.failure.kind)
  );
}

function describe(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return error instanceof CcdError ? `${error.code}: ${text}` : text;
}

/** Reads all installations; one repository that cannot be opened does not keep the others from being served. */
async function adoptAll(doors: AppDoors, repositories: Map<string, Adopted>): Promise<string | null> {
  const found = new Set<string>();
  let problem: string | null = null;
  for (const installation of await observeInstallations(doors.appClient)) {
    const client = clientFor(doors, doors.tokens.installation(installation));
    for (const name of await observeInstalledRepositories(client)) {
      const key = `${name.owner}/${name.name}`.toLowerCase();
      if (!isWanted(doors, key)) continue;
      found.add(key);
      if (repositories.has(key)) continue;
      try {
        repositories.set(key, await open(doors, installation, name));
        doors.log.info('serving', { repository: key });
      } catch (error) {
        problem = `${key}: ${describe(error)}`;
        doors.log.error('a repository cannot be opened', { problem });
      }
    }
  }
  for (const [key, adopted] of repositories) {
    if (found.has(key)) continue;
    repositories.delete(key);
    doors.log.warn('no longer installed', { repository: key });
    await adopted.close();
  }
  return problem;
}

function isWanted({ config }: AppDoors, key: string): boolean {
  return config.repositories.length === 0 || config.repositories.some((one) => one.toLowerCase() === key);
}

async function open(doors: AppDoors, installation: DatabaseId, name: RepoName): Promise<Adopted> {
  const context = await openRepository(doors, installation, name);
  const loop = startLoop(context, doors.config);
  return {
    loop,
    close: async () => {
      await loop.stop();
      await context.clone.close();
    },
  };
}
