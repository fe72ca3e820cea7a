import { randomUUID } from 'node:crypto';
import { canSee, refuse } from './access.ts';
import { GRAPHQL_OPERATION } from './api/graphql.ts';
import { type Authentication, authenticate } from './authenticate.ts';
import type { ContractValidator } from './contract/validate.ts';
import { applyFault } from './faults/apply-fault.ts';
import type { FaultCall } from './faults/faults.ts';
import { type Place, placeOf, sendOn } from './moved-repos.ts';
import { parseJson } from './parse-json.ts';
import { actorOf, type Principal, principalName } from './principal.ts';
import { overLimit, rateLimitHeaders } from './rate-limit.ts';
import type { Repo } from './records/repository.ts';
import { notFound, problem, type Reply } from './reply.ts';
import type { RequestRecord } from './requests.ts';
import { respond } from './respond.ts';
import type { Context, Match, Router } from './router.ts';
import type { Store } from './store.ts';
import type { Urls } from './urls.ts';
import type { WireAnswer, WireRequest } from './wire.ts';

export interface RestServer {
  readonly store: Store;
  readonly urls: Urls;
  readonly router: Router;
  readonly contract: ContractValidator | null;
  /** Answer 500 on a violation. */
  readonly strict: boolean;
}

/** Serves one REST or GraphQL request: authenticate, match, limits, faults, authorise, handle, log. */
export async function serveRest(server: RestServer, request: WireRequest): Promise<WireAnswer> {
  const told = await withFaults(server, request);
  if (told.kind === 'reset') return told;
  // The clock of this GitHub, which need not be the machine's.
  const date = new Date(server.store.now()).toUTCString();
  return { ...told, headers: { date, ...told.headers } };
}

async function withFaults(server: RestServer, request: WireRequest): Promise<WireAnswer> {
  const { store, router } = server;
  const { method, body } = request;
  const asked = request.url.pathname.replace(/^\/api(?:\/v3(?=\/|$)|(?=\/graphql$))/, '') || '/';
  const auth = authenticate(store, request.headers.authorization);
  const principal: Principal = auth.kind === 'principal' ? auth.principal : { kind: 'anonymous' };
  const place = placeOf(store.repos.values(), asked, (repo) => canSee(principal, repo));
  const { path } = place;
  const match = router.match(method, path);
  const operation = match?.route.operationId ?? 'unknown';
  const { search } = request.url;
  const call: FaultCall = { operation, method, path, search, principal: principalName(principal), body };
  const before = await store.faults.find('before', call);
  const instead = before ? await applyFault(before, store.wait) : null;
  if (instead) return instead;
  const told = await tell(server, request, { auth, principal, match, call, place });
  const after = await store.faults.find('after', call, told);
  return (after && (await applyFault(after, store.wait))) ?? told;
}

interface Heard {
  readonly auth: Authentication;
  readonly principal: Principal;
  readonly match: Match | undefined;
  readonly call: FaultCall;
  readonly place: Place;
}

/** The true answer, logged and counted. */
async function tell(server: RestServer, request: WireRequest, heard: Heard): Promise<WireAnswer> {
  const { auth, principal, match, call, place } = heard;
  const { operation, method, path } = call;
  const { store } = server;
  const spent = { principal, operation, kind: kindOf(method, match, request.body) };
  const refusal = auth.kind === 'refused' ? auth.reply : overLimit(store, spent);
  const elsewhere =
    place.kind === 'moved' ? sendOn(method, `${store.urls.api}${path}${request.url.search}`) : null;
  const reply = refusal ?? elsewhere ?? (await answer(server, { request, principal, match, path }));
  const checked = match ? checkContract(server, match, reply, request.body) : reply;
  const told = respond(request, checked, {
    'x-github-request-id': randomUUID(),
    'x-github-media-type': 'github.v3; format=json',
  });
  const { kind } = spent;
  const { status } = told;
  store.requests.add({ at: store.now(), principal: call.principal, operation, method, path, status, kind });
  return { ...told, headers: { ...rateLimitHeaders(store, spent), ...told.headers } };
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
  readonly request: WireRequest;
  readonly principal: Principal;
  readonly match: Match | undefined;
  readonly path: string;
}

async function answer(server: RestServer, incoming: Incoming): Promise<Reply> {
  const { spending } = server.store.requests;
  const name = principalName(incoming.principal);
  spending.countUnderWay(name, 1);
  try {
    return await admit(server, incoming);
  } finally {
    spending.countUnderWay(name, -1);
  }
}

async function admit(server: RestServer, incoming: Incoming): Promise<Reply> {
  const { match, principal } = incoming;
  if (!match) return notFound();
  const { owner, repo: name } = match.params;
  const repo = owner !== undefined && name !== undefined ? server.store.repoByName(owner, name) : undefined;
  if (owner !== undefined && name !== undefined && !repo) return notFound();
  const refusal = refuse(match.route.access, principal, repo ?? null);
  if (refusal) return refusal;
  const body = parseJson(incoming.request.body);
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
  const { principal, request } = incoming;
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
    query: request.url.searchParams,
    body,
    rawBody: request.body,
    headers: request.headers,
    get url() {
      const url = new URL(request.url);
      url.pathname = incoming.path;
      return url;
    },
  };
}
