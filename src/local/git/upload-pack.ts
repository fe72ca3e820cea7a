import { spawn } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import type { Repo } from '../records/repository.ts';
import { FLUSH, pkt } from './pkt-line.ts';
import { GIT_ENV } from './run-git.ts';

/** Version 2 names capabilities only, the same for every repository here: asked of git once. */
let versionTwo: Promise<Buffer> | null = null;

/** What `git fetch` reads first, in the protocol version that it asked for. */
export function advertiseUpload(repo: Repo, protocol: string | undefined): Promise<Buffer> {
  if (protocol !== 'version=2') return askGit(repo, protocol);
  versionTwo ??= askGit(repo, protocol);
  return versionTwo;
}

async function askGit(repo: Repo, protocol: string | undefined): Promise<Buffer> {
  const run = await repo.git.run(['upload-pack', '--stateless-rpc', '--http-backend-info-refs', '.'], {
    env: protocolEnv(protocol),
  });
  return Buffer.concat([pkt('# service=git-upload-pack\n'), FLUSH, run.stdout]);
}

/** Serves one fetch request by `git upload-pack`, streaming the pack. Resolves when the answer is out. */
export function uploadPack(
  repo: Repo,
  protocol: string | undefined,
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['upload-pack', '--stateless-rpc', '.'], {
      cwd: repo.git.dir,
      env: { ...GIT_ENV, ...protocolEnv(protocol) },
    });
    child.stdout.pipe(response);
    child.stderr.resume();
    child.stdin.on('error', () => {
      // upload-pack may refuse early; the client sees it in the answer.
    });
    child.on('error', reject);
    child.on('close', () => resolve());
    response.on('close', () => child.kill());
    child.stdin.end(body);
  });
}

const protocolEnv = (protocol: string | undefined): Record<string, string> =>
  protocol && /^[a-z0-9=:]+$/.test(protocol) ? { GIT_PROTOCOL: protocol } : {};
