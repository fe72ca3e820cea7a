import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../../../src/host/clock.ts';
import { type Gateway, type GatewayBounds, startGateway } from '../../../../../src/worker/gateway/gateway.ts';
import type { GatewayEvent, GatewayStop } from '../../../../../src/worker/gateway/gateway-event.ts';
import type { KeySource } from '../../../../../src/worker/gateway/key-source.ts';
import { type ModelAccess, openModelAccess } from '../../../../../src/worker/gateway/model-access.ts';
import type { RequestLine } from '../../../../../src/worker/gateway/request-log.ts';
import { readUpstream } from '../../../../../src/worker/gateway/upstream-config.ts';

export const childKey = 'ccd-child-key';

export interface Seen {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}
export type Answer = (response: ServerResponse, seen: Seen) => void | Promise<void>;

const closers: (() => unknown)[] = [];

/** Closes all that was opened, in the opposite order. */
export async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

export function onClose(close: () => unknown): void {
  closers.push(close);
}

export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ccd-gateway-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A real HTTP server in the model's place. */
export async function upstreamServer(answer: Answer): Promise<{ url: string; seen: Seen[]; server: Server }> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const one = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts) };
    seen.push(one);
    await answer(response, one);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, server };
}

export interface AccessParts {
  readonly keys?: readonly string[];
  readonly machineFolder?: string;
  readonly maxWaitMs?: number;
  readonly config?: object;
  readonly warn?: (message: string) => void;
  readonly onSecret?: (secret: string) => void;
}

export async function openAccess(url: string, parts: AccessParts = {}): Promise<ModelAccess> {
  const { upstream, keys } = readUpstream(JSON.stringify({ kind: 'anthropic', url, ...parts.config }));
  const given = (parts.keys ?? ['sk-real-key-one']).map((secret): KeySource => ({ kind: 'given', secret }));
  const access = await openModelAccess({
    upstream,
    keys: keys ?? given,
    machineFolder: parts.machineFolder ?? null,
    environment: process.env,
    clock: systemClock,
    random: Math.random,
    warn: parts.warn ?? (() => undefined),
    onSecret: parts.onSecret ?? (() => undefined),
    ...(parts.maxWaitMs === undefined ? {} : { maxWaitMs: parts.maxWaitMs }),
  });
  closers.push(() => access.close());
  return access;
}

export interface Ways {
  readonly gateway: Gateway;
  readonly seen: Seen[];
  readonly upstreamUrl: string;
  readonly events: GatewayEvent[];
  readonly stops: GatewayStop[];
  readonly lines: RequestLine[];
  readonly access: ModelAccess;
  post(body?: object, path?: string, headers?: Record<string, string>): Promise<Response>;
}

/** A gateway with a real upstream behind it. */
export async function openGateway(
  answer: Answer,
  parts: AccessParts & { readonly bounds?: Partial<GatewayBounds> } = {},
): Promise<Ways> {
  const { url, seen } = await upstreamServer(answer);
  const access = await openAccess(url, { ...parts, config: withAddress(parts.config, url) });
  return { ...(await openOn(access, parts.bounds)), seen, upstreamUrl: url, access };
}

function withAddress(config: object | undefined, url: string): object {
  const address = (config as { url?: string } | undefined)?.url;
  return { ...config, url: `${url}${address ?? ''}` };
}

/** Another gateway on the same way to the model. */
export async function openOn(
  access: ModelAccess,
  bounds: Partial<GatewayBounds> = {},
): Promise<Omit<Ways, 'seen' | 'upstreamUrl' | 'access'>> {
  const events: GatewayEvent[] = [];
  const stops: GatewayStop[] = [];
  const lines: RequestLine[] = [];
  const gateway = await startGateway({
    access,
    childKey,
    maxMicroUsd: 1_000_000_000,
    onEvent: (event) => events.push(event),
    onStop: (stop) => stops.push(stop),
    log: { write: (line) => lines.push(line), close: async () => undefined },
    ...bounds,
  });
  closers.push(() => gateway.close());
  const post = (body: object = request(), path = '/v1/messages?beta=true', headers = {}) =>
    fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { 'x-api-key': childKey, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  return { gateway, events, stops, lines, post };
}

export const request = (more: object = {}) => ({
  model: 'claude-sonnet-4-5',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'hi' }],
  ...more,
});

export const usage = {
  input_tokens: 1000,
  output_tokens: 200,
  cache_read_input_tokens: 10_000,
  cache_creation_input_tokens: 0,
};
/** 1000 at 3 $, 10 000 at 0.3 $, 200 at 15 $ a million. */
export const cost = 9000;

export const message = (more: object = {}) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [{ type: 'text', text: 'hello' }],
  stop_reason: 'end_turn',
  usage,
  ...more,
});

export function json(response: ServerResponse, value: unknown = message(), status = 200, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_1', ...headers });
  response.end(JSON.stringify(value));
}

export const apiError = (type: string, text: string) => ({ type: 'error', error: { type, message: text } });

export const events = [
  { type: 'message_start', message: message({ content: [], usage: { ...usage, output_tokens: 1 } }) },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: 'hello "message_delta" \u00e9' },
  },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 200 } },
  { type: 'message_stop' },
];
export const sse = (list: readonly { type: string }[] = events) =>
  list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

export function stream(response: ServerResponse, list: readonly { type: string }[] = events): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(sse(list));
}
