import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createNodeMiddleware, Probot } from 'probot';
import { CcdError } from '../domain/errors.ts';
import { observeInstallations, observeInstalledRepositories } from '../github/observe/installations.ts';
import type { RepoName } from '../github/repo-name.ts';
import { type AppDoors, clientFor, openRepository } from './open-repository.ts';
import { type ReconcileLoop, startLoop } from './reconcile.ts';

export const webhookPath = '/api/github/webhooks';

export interface RunningApp {
  readonly port: number;
  /** Asks for a pass over every repository. */
  hintAll(): void;
  close(): Promise<void>;
}

interface Served {
  readonly loop: ReconcileLoop;
  close(): Promise<void>;
}

/** Events that our own writes cause and that tell nothing new. Runs are not among them: their ends matter whoever started them. */
const ownNoise = new Set([
  'issues',
  'issue_comment',
  'pull_request',
  'check_run',
  'label',
  'create',
  'delete',
  'push',
]);

/**
 * Serves the app: Probot checks and takes webhooks, each only wakes the loop of its repository. Throws `app.port-in-use` when
 * the port is taken.
 */
export async function serve(doors: AppDoors): Promise<RunningApp> {
  const { config, log } = doors;
  const repositories = new Map<string, Served>();
  const server = createServer();
  const hint = (fullName: string) => repositories.get(fullName.toLowerCase())?.loop.hint();
  const middleware = await webhookMiddleware(doors, hint, () => void adopt(doors, repositories));
  server.on('request', (request, response) => {
    if (request.url === '/health') return void respondHealth(response, repositories);
    void middleware(request, response, () => {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n');
    });
  });
  await listen(server, config.port, config.host);
  await adopt(doors, repositories);
  const { port } = server.address() as AddressInfo;
  log.info('serving', { port, repositories: [...repositories.keys()] });
  return {
    port,
    hintAll: () => {
      for (const served of repositories.values()) served.loop.hint();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all([...repositories.values()].map((served) => served.close()));
    },
  };
}

async function webhookMiddleware(doors: AppDoors, hint: (name: string) => void, adoptNew: () => void) {
  const { config } = doors;
  const probot = new Probot({
    appId: config.appId,
    privateKey: config.privateKey,
    secret: config.webhookSecret,
    baseUrl: config.apiUrl,
    logLevel: 'fatal',
  });
  return createNodeMiddleware(
    (app) => {
      app.onAny(async ({ name, payload }) => {
        const from = payload as { repository?: { full_name?: unknown }; sender?: { type?: unknown } };
        if (name.startsWith('installation')) adoptNew();
        const repository = from.repository?.full_name;
        if (typeof repository !== 'string') return;
        if (from.sender?.type === 'Bot' && ownNoise.has(name)) return;
        hint(repository);
      });
    },
    { probot, webhooksPath: webhookPath },
  );
}

/** Starts a loop for each repository that the app is installed on and has none yet. */
async function adopt(doors: AppDoors, repositories: Map<string, Served>): Promise<void> {
  for (const installation of await observeInstallations(doors.appClient)) {
    const client = clientFor(doors.config, doors.log, doors.tokens.installation(installation));
    for (const name of await observeInstalledRepositories(client)) {
      const key = fullName(name).toLowerCase();
      const wanted = doors.config.repositories;
      if (repositories.has(key) || (wanted.length > 0 && !wanted.some((one) => one.toLowerCase() === key)))
        continue;
      const context = await openRepository(doors, installation, name);
      const loop = startLoop(context, doors.config);
      const close = async () => {
        await loop.stop();
        await context.clone.close();
      };
      repositories.set(key, { loop, close });
    }
  }
}

function fullName(name: RepoName): string {
  return `${name.owner}/${name.name}`;
}

function respondHealth(
  response: import('node:http').ServerResponse,
  repositories: ReadonlyMap<string, Served>,
): void {
  const rows = [...repositories].map(([name, { loop }]) => ({ name, last: loop.last() }));
  const sound = rows.every(
    ({ last }) => last === null || (last.kind !== 'stopped' && last.kind !== 'failed'),
  );
  response.writeHead(sound ? 200 : 503, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify({ ok: sound, repositories: rows })}\n`);
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(portFault(error, port)));
    server.listen(port, host, resolve);
  });
}

function portFault(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code !== 'EADDRINUSE') return error;
  return new CcdError({
    code: 'app.port-in-use',
    message: `Port ${port} is in use.`,
    remedy: 'Set PORT to another one, or stop what uses it.',
    audience: 'operator',
    cause: error,
  });
}
