import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ModelAccess } from './model-access.ts';
import type { UpstreamCall } from './upstream.ts';

export type Sent =
  | { readonly kind: 'answer'; readonly answer: IncomingMessage }
  | { readonly kind: 'stalled' }
  | { readonly kind: 'left' }
  /** `code`: the system's or TLS's word for what went wrong. `stale`: on a connection that had been used before. */
  | { readonly kind: 'unreachable'; readonly code: string; readonly stale: boolean };

/**
 * Sends one request and waits for the head of its answer, for `silenceMs` at most. A redirection is an answer like any other:
 * nothing is ever sent to where it leads. Certificates are checked whatever the environment says.
 */
export async function send(
  call: UpstreamCall,
  agents: ModelAccess['agents'],
  silenceMs: number,
  signal: AbortSignal,
): Promise<Sent> {
  const sent = await sendOnce(call, agents, silenceMs, signal);
  // An idle connection that the upstream closed just as it was used again has carried nothing there.
  return sent.kind === 'unreachable' && sent.stale ? sendOnce(call, agents, silenceMs, signal) : sent;
}

function sendOnce(
  call: UpstreamCall,
  agents: ModelAccess['agents'],
  silenceMs: number,
  signal: AbortSignal,
): Promise<Sent> {
  const { url, path, headers, body } = call;
  const secure = url.protocol === 'https:';
  return new Promise((resolve) => {
    const options = {
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      method: 'POST',
      path,
      headers: { ...headers, 'accept-encoding': 'identity', 'content-length': body.length },
    };
    const request = secure
      ? httpsRequest({ ...options, agent: agents.https })
      : httpRequest({ ...options, agent: agents.http });
    const finish = (sent: Sent) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      resolve(sent);
      if (sent.kind !== 'answer') request.destroy();
    };
    const leave = () => finish({ kind: 'left' });
    const timer = setTimeout(() => finish({ kind: 'stalled' }), silenceMs);
    signal.addEventListener('abort', leave);
    request.once('response', (answer) => finish({ kind: 'answer', answer }));
    // Also after the head: what breaks then is seen where the answer is read.
    request.on('error', (fault) => {
      const code = codeOf(fault);
      const stale = request.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
      finish({ kind: 'unreachable', code, stale });
    });
    if (signal.aborted) leave();
    else request.end(body);
  });
}

function codeOf(fault: Error & { code?: unknown }): string {
  return typeof fault.code === 'string' ? fault.code.replace(/[^A-Z0-9_]/g, '').slice(0, 60) : 'unknown';
}
