import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalActions } from '../actions/actions.ts';
import type { JobRecord } from '../actions/runs/records.ts';
import { ZERO_OID } from '../git/oid.ts';
import type { Actor } from '../principal.ts';
import { syncPulls } from '../pulls/sync.ts';
import type { Repo } from '../records/repository.ts';
import type { AppliedMove } from '../refs/after-move.ts';
import type { LocalGitHub } from '../server.ts';

/**
 * Brings a state that was moved in to what is true now: git is read again, because a server that was killed moved refs that it did
 * not save any more; runs that were under way have lost their runner. Answers what a person should hear of.
 */
export async function catchUp(github: LocalGitHub, actions: LocalActions): Promise<string[]> {
  const words = await setStrangersAside(github);
  for (const repo of github.store.repos.values()) await followRefs(github, repo);
  endRuns(actions);
  return words;
}

/** Open pull requests follow their branches. No push events: what ran because of a push ran then, or is lost. */
async function followRefs(github: LocalGitHub, repo: Repo): Promise<void> {
  repo.defaultBranch = await repo.git.defaultBranch();
  const known = new Map<string, string>();
  for (const { state, pull } of repo.issues.values()) {
    if (pull === null || state === 'closed') continue;
    known.set(pull.baseRef, pull.baseSha);
    known.set(pull.headRef, pull.headSha);
  }
  const moves: AppliedMove[] = [];
  for (const [branch, before] of known) {
    const ref = `refs/heads/${branch}`;
    const after = (await repo.git.ref(ref)) ?? ZERO_OID;
    if (after !== before) moves.push({ ref, before, after, forced: false, commits: [] });
  }
  const actor: Actor = { user: repo.owner, app: null, via: 'user' };
  if (moves.length > 0) await syncPulls(github.store, repo, actor, moves);
}

/**
 * Jobs at work fail as on GitHub when their runner is lost; runs that waited for their turn in a group are cancelled. Who
 * waits for a reviewer goes on to wait.
 */
function endRuns(actions: LocalActions): void {
  for (const run of actions.engine.runs.values()) {
    if (run.status === 'completed') continue;
    actions.lose(run, { keepTokens: false });
    const { approvals } = actions.engine;
    const isInLine = (job: JobRecord): boolean => job.status === 'waiting' && !approvals.has(job);
    const waits = run.status === 'pending' || run.jobs.some(isInLine);
    if (waits) actions.engine.cancel(run, true);
  }
}

/** Repositories that no record knows (a server was killed while it made them) would be in the way of new ones of their name. */
async function setStrangersAside(github: LocalGitHub): Promise<string[]> {
  const { dataDir, repos } = github.store;
  const known = new Set([...repos.values()].map((repo) => repo.git.dir));
  const words: string[] = [];
  for (const owner of await namesIn(join(dataDir, 'repos')))
    for (const name of await namesIn(join(dataDir, 'repos', owner))) {
      const dir = join(dataDir, 'repos', owner, name);
      if (known.has(dir)) continue;
      const aside = join(dataDir, 'left-over', `${github.store.now()}`, owner);
      await mkdir(aside, { recursive: true });
      await rename(dir, join(aside, name));
      words.push(
        `No record knows the repository ${owner}/${name.replace(/\.git$/, '')}: it was moved to ${join(aside, name)}.`,
      );
    }
  return words;
}

async function namesIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}
