import type { IncomingMessage, ServerResponse } from 'node:http';
import { canSee, mayInRepo } from '../access.ts';
import { authenticate } from '../authenticate.ts';
import { applyFault } from '../faults/apply-fault.ts';
import { send } from '../http-door.ts';
import { type Principal, principalName } from '../principal.ts';
import { BULK_BYTES, readBody } from '../read-body.ts';
import type { Repo } from '../records/repository.ts';
import type { Store } from '../store.ts';
import { advertiseReceive, receivePack } from './receive-pack.ts';
import { advertiseUpload, uploadPack } from './upload-pack.ts';

const PATH = /^\/([^/]+)\/([^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/;

interface GitCall {
  readonly store: Store;
  readonly repo: Repo;
  readonly principal: Principal;
  readonly service: 'git-upload-pack' | 'git-receive-pack';
  readonly advertise: boolean;
  readonly protocol: string | undefined;
}

/** Serves git's smart HTTP protocol. False when the address is none of git's. */
export function serveGit(
  store: Store,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): boolean {
  const match = PATH.exec(decoded(url.pathname));
  const service = match?.[3] === 'info/refs' ? url.searchParams.get('service') : match?.[3];
  if (!match || (service !== 'git-upload-pack' && service !== 'git-receive-pack')) return false;
  const advertise = match[3] === 'info/refs';
  const protocol = request.headers['git-protocol'] as string | undefined;
  void admit(store, request, response, match[1]!, match[2]!, { store, service, advertise, protocol }).catch(
    (fault: unknown) => {
      if (!response.headersSent) text(response, 500, String(fault));
      else response.destroy();
    },
  );
  return true;
}

/** An address that is not well encoded names no repository. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}

async function admit(
  store: Store,
  request: IncomingMessage,
  response: ServerResponse,
  owner: string,
  name: string,
  partial: Omit<GitCall, 'repo' | 'principal'>,
): Promise<void> {
  const auth = authenticate(store, request.headers.authorization);
  if (auth.kind === 'refused') return challenge(response);
  const { principal } = auth;
  const repo = store.repoByName(owner, name);
  if (!repo || !canSee(principal, repo)) {
    if (principal.kind === 'anonymous') return challenge(response);
    return text(response, 404, 'Repository not found.');
  }
  const writes = partial.service === 'git-receive-pack';
  if (!mayInRepo(principal, repo, [writes ? 'contents:write' : 'contents:read'])) {
    if (principal.kind === 'anonymous') return challenge(response);
    return text(
      response,
      403,
      writes ? 'Write access to repository not granted.' : 'Access to repository not granted.',
    );
  }
  await serve({ ...partial, repo, principal }, request, response);
}

async function serve(call: GitCall, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const read = await readBody(request, BULK_BYTES);
  if (read.kind === 'refused') return text(response, read.status, read.message);
  const { body } = read;
  const operation = call.service === 'git-receive-pack' ? 'git.push' : 'git.fetch';
  const faultCall = {
    operation: call.advertise ? `${operation}.advertise` : operation,
    method: request.method ?? 'GET',
    path: request.url ?? '',
    search: '',
    body,
    principal: principalName(call.principal),
  };
  const { store } = call;
  const before = await store.faults.find('before', faultCall);
  const instead = before ? await applyFault(before, store.wait) : null;
  if (instead) return send(response, instead);
  if (call.service === 'git-upload-pack' && !call.advertise) {
    response.writeHead(200, headers(call));
    await uploadPack(call.repo, call.protocol, body, response);
  } else {
    const answer = await answerOf(call, body);
    if (answer === null) return text(response, 400, 'This is no push.');
    const after = await store.faults.find('after', faultCall);
    const other = after ? await applyFault(after, store.wait) : null;
    if (other) return send(response, other);
    response.writeHead(200, headers(call)).end(answer);
  }
  if (call.advertise) return;
  const { method, path, principal } = faultCall;
  store.requests.add({ at: store.now(), principal, operation, method, path, status: 200, kind: 'git' });
}

function answerOf(call: GitCall, body: Buffer): Promise<Buffer | null> {
  if (call.service === 'git-upload-pack') return advertiseUpload(call.repo, call.protocol);
  if (call.advertise) return advertiseReceive(call.repo);
  return receivePack(call.store, call.repo, call.principal, body);
}

const headers = (call: GitCall): Record<string, string> => ({
  'content-type': `application/x-${call.service}-${call.advertise ? 'advertisement' : 'result'}`,
  'cache-control': 'no-cache',
});

function challenge(response: ServerResponse): void {
  response.setHeader('www-authenticate', 'Basic realm="GitHub"');
  text(response, 401, 'Authentication required.');
}

function text(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${message}\n`);
}
