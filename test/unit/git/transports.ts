import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createRepo, createUser, createUserToken } from '../../../src/local/seed.ts';
import { start } from '../../../src/local/server.ts';
import { serveOverHttp } from './http-remote.ts';
import { atEnd, makeFolder, makeRemote } from './repositories.ts';

/** One way to reach a repository, with what the server can be told to do. */
export interface Transport {
  /** The bare repository behind it, for looking without ccd. */
  readonly dir: string;
  readonly url: string;
  readonly token: string;
  /** A rule of the server forbids every update of this branch from now on. */
  forbidUpdates(branch: string): Promise<void>;
  /** The next pushes are carried out, and their answers lost, until told otherwise. */
  loseAnswers(lose: boolean): void;
}

export const transportNames = ['file', 'http', 'local GitHub'] as const;
export type TransportName = (typeof transportNames)[number];

export async function openTransport(name: TransportName): Promise<Transport> {
  if (name === 'local GitHub') return await openLocalGitHub();
  const dir = await makeRemote();
  const http = name === 'http' ? await serveOverHttp(dir) : null;
  return {
    dir,
    url: http?.url ?? dir,
    token: name === 'http' ? 'secret-token' : '',
    forbidUpdates: () => refuseByHook(dir),
    loseAnswers: (lose) => {
      if (http !== null) http.fault = lose ? 'lose-answer' : 'none';
    },
  };
}

async function openLocalGitHub(): Promise<Transport> {
  const github = await start({ dataDir: await makeFolder() });
  atEnd(() => github.close());
  const owner = createUser(github.store, 'owner');
  const repo = await createRepo(github.store, { owner, name: 'project' });
  let losing = false;
  github.store.faults.after('git.push', () => (losing ? { reset: true } : undefined));
  return {
    dir: repo.git.dir,
    url: `${github.url}/owner/${basename(repo.git.dir)}`,
    token: createUserToken(github.store, owner),
    forbidUpdates: async (branch) => {
      const rules = [{ type: 'update' }];
      const times = { createdAt: 0, updatedAt: 0 };
      const names = { name: 'closed', include: [`refs/heads/${branch}`], exclude: [] };
      repo.rulesets.set(1, {
        id: 1,
        nodeId: 'R_1',
        target: 'branch',
        enforcement: 'active',
        bypassActors: [],
        rules,
        ...names,
        ...times,
      });
    },
    loseAnswers: (lose) => {
      losing = lose;
    },
  };
}

async function refuseByHook(dir: string): Promise<void> {
  await mkdir(join(dir, 'hooks'), { recursive: true });
  const hook = join(dir, 'hooks/update');
  await writeFile(
    hook,
    `#!/bin/sh\necho "error: GH013: Repository rule violations found for $1." >&2\nexit 1\n`,
  );
  await chmod(hook, 0o755);
}
