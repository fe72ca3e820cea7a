import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { refuse } from './access.ts';
import { GRAPHQL_OPERATION } from './api/graphql.ts';
import { applyFault } from './apply-fault.ts';
import { authenticate } from './authenticate.ts';
import type { ContractValidator } from './contract/validate.ts';
import type { FaultCall } from './faults.ts';
import { actorOf, type Principal, principalName } from './principal.ts';
import { rateLimitHeaders } from './rate-limit.ts';
import { readBody } from './read-body.ts';
import type { Repo } from './records/repository.ts';
import { notFound, problem, type Reply } from './reply.ts';
import type { RequestRecord } from './requests.ts';
import { respond } from './respond.ts';
import type { Context, Match, Router } from './router.ts';
import type { Store } from './store.ts';
import type { Urls } from './urls.ts';

export interface RestServer {
  readonly store: Store;
  readonly urls: Urls;
  readonly router: Router;
  readonly contract: ContractValidator | null;
  /** Answer 500 on a violation. */
  readonly strict: boolean;
}

/** Serves one REST request: authenticate, match, authorise, faults, handle, log. */
export async function serveRest(
  server: RestServer,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const path = url.pathname.replace(/^\/api(?:\/v3(?=\/|$)|(?=\/graphql$))/, '') || '/';
  const method = request.method ?? 'GET';
  const rawBody = await readBody(request);
  const auth = authenticate(server.store, request.headers.authorization);
  const principal: Principal = auth.kind === 'principal' ? auth.principal : { kind: 'anonymous' };
  const match = server.router.match(method, path);
  const call: FaultCall = {
    operation: match?.route.operationId ?? 'unknown',
    method,
    path,
    principal: principalName(principal),
  };
  const before = await server.store.faults.find('before', call);
  if (before && (await applyFault(before, request, response))) return;
  const inner = new URL(url);
  inner.pathname = path;
  const reply =
    auth.kind === 'refused'
      ? auth.reply
      : await answer(server, { request, url: inner, rawBody, principal, match, path });
  const checked = match ? checkContract(server, match, reply, rawBody) : reply;
  const after = await server.store.faults.find('after', call);
  if (after && (await applyFault(after, request, response))) return;
  const status = respond(request, response, checked, {
    'x-github-request-id': randomUUID(),
    'x-github-media-type': 'github.v3; format=json',
    ...rateLimitHeaders(server.store, principal),
  });
  server.store.requests.add({
    at: server.store.now(),
    principal: call.principal,
    operation: call.operation,
    method,
    path,
    status,
    kind: kindOf(method, match, rawBody),
  });
}

function kindOf(method: string, match: Match | undefined, rawBody: Buffer): RequestRecord['kind'] {
  if (match?.route.countAs) return match.route.countAs(parseJson(rawBody));
  if (match?.route.content) return 'content';
  return method === 'GET' ? 'read' : 'write';
}

/** The reply, or in strict mode a 500 that names what GitHub's description forbids. */
function checkContract(server: RestServer, match: Match, reply: Reply, rawBody: Buffer): Reply {
  const { contract } = server;
  if (!contract || reply.status === 500 || match.route.operationId === GRAPHQL_OPERATION) return reply;
  const { operationId } = match.route;
  const accepted = reply.status < 300 && rawBody.length > 0;
  const violation =
    contract.answer(operationId, reply.status, reply.body) ??
    (accepted ? contract.request(operationId, parseJson(rawBody)) : null);
  if (!violation || !server.strict) return reply;
  return problem(500, `Contract violation in ${violation.subject}: ${violation.details.join('; ')}`);
}

interface Incoming {
  readonly request: IncomingMessage;
  readonly url: URL;
  readonly rawBody: Buffer;
  readonly principal: Principal;
  readonly match: Match | undefined;
  readonly path: string;
}

async function answer(server: RestServer, incoming: Incoming): Promise<Reply> {
  const { match, principal } = incoming;
  if (!match) return notFound();
  const { owner, repo: name } = match.params;
  const repo = owner !== undefined && name !== undefined ? server.store.repoByName(owner, name) : undefined;
  if (owner !== undefined && name !== undefined && !repo) return notFound();
  const refusal = refuse(match.route.access, principal, repo ?? null);
  if (refusal) return refusal;
  const body = parseJson(incoming.rawBody);
  if (body === undefined) return problem(400, 'Problems parsing JSON');
  try {
    return await match.route.handler(contextOf(server, incoming, match, repo, body));
  } catch (fault) {
    const message = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
    server.store.crashes.push(`${match.route.operationId}: ${message}`);
    return problem(500, `Server Error: ${message}`);
  }
}

function contextOf(
  server: RestServer,
  incoming: Incoming,
  match: Match,
  repo: Repo | undefined,
  body: unknown,
): Context {
  const { principal } = incoming;
  return {
    store: server.store,
    urls: server.urls,
    principal,
    get actor() {
      const actor = actorOf(principal);
      if (!actor) throw new TypeError('This principal cannot act.');
      return actor;
    },
    get repo() {
      if (!repo) throw new TypeError('This route has no repository.');
      return repo;
    },
    params: match.params,
    query: incoming.url.searchParams,
    body,
    rawBody: incoming.rawBody,
    request: incoming.request,
    url: incoming.url,
  };
}

function parseJson(raw: Buffer): unknown {
  if (raw.length === 0) return {};
  try {
    return JSON.parse(raw.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
