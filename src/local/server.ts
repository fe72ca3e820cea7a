import { mkdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CORE_ROUTES } from './api/routes.ts';
import type { ContractValidator } from './contract/validate.ts';
import { serveGit } from './git/smart-http.ts';
import { addressOf, refuseRequest, serveHttp } from './http-door.ts';
import { inProcessFetch } from './in-process.ts';
import { type InProcessPush, pushInProcess } from './in-process-push.ts';
import type { RestServer } from './rest.ts';
import { type Route, Router } from './router.ts';
import { createActionsApp } from './seed.ts';
import { Store, type StoreOptions } from './store.ts';
import type { Urls } from './urls.ts';
import { Deliveries } from './webhooks/deliveries.ts';

export interface StartOptions extends StoreOptions {
  /** 0 or absent: any free port. */
  readonly port?: number;
  readonly host?: string;
  /**
   * Check every answer, accepted request and webhook against GitHub's description: `throw` answers 500 naming the
   * violation, `collect` only notes it in `contract.violations`. Off unless given.
   */
  readonly validate?: 'off' | 'throw' | 'collect';
  /** Called before it listens, to add to it what nobody may find missing. */
  readonly prepare?: (github: LocalGitHub) => void;
}

/** Serves what is no REST operation (git, artifact blobs). Answers false to leave the request to others. */
export type RawHandler = (request: IncomingMessage, response: ServerResponse, url: URL) => boolean;

/** A running local GitHub. */
export interface LocalGitHub {
  /** `http://127.0.0.1:<port>`, or a name that leads nowhere for one that does not listen: REST at `/api/v3` and `/`, GraphQL at `/api/graphql` and `/graphql`, git at `/{owner}/{repo}.git`. */
  readonly url: string;
  readonly port: number;
  readonly store: Store;
  readonly urls: Urls;
  readonly router: Router;
  readonly deliveries: Deliveries;
  /** Reaches the API without a socket, by the same rules: `new Octokit({ request: { fetch: github.fetch } })`. */
  readonly fetch: typeof fetch;
  /** Pushes to a repository without a socket, by the same rules. */
  readonly push: (push: InProcessPush) => ReturnType<typeof pushInProcess>;
  /** Null while validation is off. */
  readonly contract: ContractValidator | null;
  /** Adds REST operations. */
  mount(routes: readonly Route[]): void;
  /** Adds a handler that sees requests before the REST routes. */
  mountRaw(handler: RawHandler): void;
  /** Stops listening, ends all child processes; what has been stored in `dataDir` stays. */
  close(): Promise<void>;
}

/**
 * A local GitHub that listens nowhere: its API is reached through `fetch` and git through `push`, by the rules that
 * hold over HTTP; webhooks go out by `send`. For simulations.
 */
export async function open(options: StartOptions): Promise<LocalGitHub> {
  return (await assemble(options)).github;
}

/** Starts a local GitHub on a loopback port. Rejects with the listen error when the port is taken. */
export async function start(options: StartOptions): Promise<LocalGitHub> {
  const { github, rest, raw } = await assemble(options);
  options.prepare?.(github);
  const server = createServer((request, response) => {
    const url = addressOf(request.url ?? '/');
    if (url === null) return refuseRequest(response, 400, 'Bad Request');
    if (raw.some((handler) => handler(request, response, url))) return;
    // The client went away in the middle: there is nobody left to answer.
    serveHttp(rest, request, response, url).catch(() => response.destroy());
  });
  await listen(server, options.port ?? 0, options.host ?? '127.0.0.1');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  github.store.origin = url;
  return { ...github, url, port, close: () => stopListening(server).then(github.close) };
}

interface Assembled {
  readonly github: LocalGitHub;
  readonly rest: RestServer;
  readonly raw: readonly RawHandler[];
}

async function assemble(options: StartOptions): Promise<Assembled> {
  await mkdir(options.dataDir, { recursive: true });
  const store = new Store(options);
  const { urls } = store;
  const router = new Router();
  const deliveries = new Deliveries(store);
  const raw: RawHandler[] = [(request, response, url) => serveGit(store, request, response, url)];
  router.add(CORE_ROUTES);
  createActionsApp(store);
  const contract = await contractOf(options);
  if (contract) deliveries.inspect = (one) => void contract.webhook(one.event, one.action, one.payload);
  const rest = { store, urls, router, contract, strict: options.validate === 'throw' };
  const github: LocalGitHub = {
    url: store.origin,
    port: 0,
    store,
    urls,
    router,
    deliveries,
    fetch: inProcessFetch(rest),
    push: (push) => pushInProcess(store, push),
    contract,
    mount: (routes) => router.add(routes),
    mountRaw: (handler) => raw.unshift(handler),
    close: async () => {
      deliveries.close();
      for (const repo of store.repos.values()) await repo.git.close();
    },
  };
  return { github, rest, raw };
}

async function contractOf(options: StartOptions): Promise<ContractValidator | null> {
  if (options.validate === undefined || options.validate === 'off') return null;
  const { ContractValidator } = await import('./contract/validate.ts');
  return ContractValidator.load();
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function stopListening(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeAllConnections();
  await closed;
}
