import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createNodeMiddleware, Probot } from 'probot';
import { CcdError } from '../domain/errors.ts';
import { type Adoption, startAdoption } from './adoption.ts';
import type { AppDoors } from './open-repository.ts';

export const webhookPath = '/api/github/webhooks';

export interface RunningApp {
  readonly port: number;
  /** Asks for a pass over every repository. */
  hintAll(): void;
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
 * the port is taken, and what GitHub says of an app id or key that it refuses.
 */
export async function serve(doors: AppDoors): Promise<RunningApp> {
  const { config, log } = doors;
  const server = createServer();
  let adoption: Adoption | null = null;
  const hint = (fullName: string) => adoption?.repositories.get(fullName.toLowerCase())?.loop.hint();
  const middleware = await webhookMiddleware(doors, hint, () => adoption?.hint());
  server.on('request', (request, response) => {
    if (request.url === '/health') return void respondHealth(response, adoption);
    void middleware(request, response, () => {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n');
    });
  });
  await listen(server, config.port, config.host);
  const stopListening = async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  try {
    adoption = await startAdoption(doors);
  } catch (error) {
    await stopListening();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  const adopted = adoption;
  log.info('listening', { port, repositories: [...adopted.repositories.keys()] });
  return {
    port,
    hintAll: () => {
      for (const served of adopted.repositories.values()) served.loop.hint();
    },
    close: async () => {
      await stopListening();
      await adopted.close();
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

/** Sound once the installations were read and no loop stands still. */
function respondHealth(response: ServerResponse, adoption: Adoption | null): void {
  const rows = [...(adoption?.repositories ?? [])].map(([name, { loop }]) => ({ name, last: loop.last() }));
  const problem = adoption === null ? 'The installations were not read yet.' : adoption.problem();
  const moves = rows.every(
    ({ last }) => last === null || (last.kind !== 'stopped' && last.kind !== 'failed'),
  );
  const ok = moves && problem === null;
  response.writeHead(ok ? 200 : 503, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify({ ok, problem, repositories: rows })}\n`);
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
