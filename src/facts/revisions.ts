import { CcdError } from '../domain/errors.ts';
import { type Oid, oidSchema } from '../domain/ids.ts';
import { tryGit } from '../git/run-git.ts';

/** Two commits of a repository on this machine. */
export interface Revisions {
  readonly gitDir: string;
  readonly base: Oid;
  readonly head: Oid;
  readonly baseTree: Oid;
  readonly headTree: Oid;
  /** False: what base has and head lacks will look as if the change removed it. */
  readonly headIsOnBase: boolean;
}

/** Finds a repository, bare or with a work tree, and two commits in it. Throws CcdError `guard.no-repository` or `guard.no-revision`. */
export async function findRevisions(repoDir: string, base: string, head: string): Promise<Revisions> {
  const gitDir = await findGitDir(repoDir);
  const baseOid = await resolve(repoDir, base, 'commit');
  const headOid = await resolve(repoDir, head, 'commit');
  const ancestor = await tryGit({ args: ['merge-base', '--is-ancestor', baseOid, headOid], gitDir });
  return {
    gitDir,
    base: baseOid,
    head: headOid,
    baseTree: await resolve(repoDir, baseOid, 'tree'),
    headTree: await resolve(repoDir, headOid, 'tree'),
    headIsOnBase: ancestor.kind === 'exited' && ancestor.code === 0,
  };
}

/** It is read only, and its owner does not matter for that. */
const config = [['safe.directory', '*']] as const;

async function findGitDir(repoDir: string): Promise<string> {
  const found = await tryGit({
    args: ['-C', repoDir, 'rev-parse', '--path-format=absolute', '--git-common-dir'],
    config,
  });
  if (found.kind === 'exited' && found.code === 0) return found.stdout.toString('utf8').replace(/\n$/, '');
  throw new CcdError({
    code: 'guard.no-repository',
    message: `There is no git repository at ${repoDir}.`,
    remedy: 'Give the folder of a repository with --repo.',
    audience: 'operator',
  });
}

/** Asked from the folder itself: each linked work tree has a HEAD of its own. */
async function resolve(repoDir: string, revision: string, kind: 'commit' | 'tree'): Promise<Oid> {
  const args = [
    '-C',
    repoDir,
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${revision}^{${kind}}`,
  ];
  const found = await tryGit({ args, config });
  const oid = oidSchema.safeParse(found.stdout.toString('utf8').trim());
  if (found.kind === 'exited' && found.code === 0 && oid.success) return oid.data;
  throw new CcdError({
    code: 'guard.no-revision',
    message: `The repository has no commit ${JSON.stringify(revision)}.`,
    remedy: 'Fetch it first; a shallow clone lacks old commits.',
    audience: 'operator',
  });
}
