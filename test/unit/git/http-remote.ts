import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname } from 'node:path';
import { atEnd } from './repositories.ts';

export interface HttpRemote {
  readonly url: string;
  /** Authorization headers in the order in which they came. */
  readonly authorizations: string[];
  /** What happens to the next answers to a push: it is carried out and its answer lost, or it is turned away. */
  fault: 'none' | 'lose-answer' | 'forbid';
}

/** Serves one bare repository by git's own smart HTTP program. */
export async function serveOverHttp(dir: string): Promise<HttpRemote> {
  const remote: HttpRemote & { url: string } = { url: '', authorizations: [], fault: 'none' };
  const server = createServer((request, response) => answer(dir, remote, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  remote.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${basename(dir)}`;
  return remote;
}

function answer(dir: string, remote: HttpRemote, request: IncomingMessage, response: ServerResponse): void {
  remote.authorizations.push(request.headers.authorization ?? '');
  const push = request.method === 'POST' && request.url?.endsWith('/git-receive-pack');
  if (push && remote.fault === 'forbid') {
    response.writeHead(403).end('no');
    return;
  }
  const url = new URL(request.url ?? '/', 'http://local');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH ?? '',
      GIT_PROJECT_ROOT: dirname(dir),
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'http.receivepack',
      GIT_CONFIG_VALUE_0: 'true',
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_USER: 'someone',
    },
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => undefined);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    if (push && remote.fault === 'lose-answer') {
      request.socket.destroy();
      return;
    }
    const whole = Buffer.concat(chunks);
    const gap = whole.indexOf('\r\n\r\n');
    const headers = whole.toString('latin1', 0, gap).split('\r\n');
    const status = headers.find((line) => line.startsWith('Status: '));
    response.statusCode = status === undefined ? 200 : Number(status.slice(8, 11));
    for (const line of headers) {
      const colon = line.indexOf(': ');
      if (!line.startsWith('Status')) response.setHeader(line.slice(0, colon), line.slice(colon + 2));
    }
    response.end(whole.subarray(gap + 4));
  });
}
