import { type ModelRequest, mappedModel, prefixOf, type Upstream } from './upstream.ts';

export interface MessagesUpstreamOptions {
  readonly kind: 'anthropic' | 'messages';
  /** A path in it is kept as prefix. */
  readonly url: URL;
  /** The header that carries the key: `authorization` takes it as a bearer token. */
  readonly keyHeader: string;
  readonly models: Readonly<Record<string, string>>;
}

/** The Messages API itself, or another gateway that speaks it. */
export function messagesUpstream({ kind, url, keyHeader, models }: MessagesUpstreamOptions): Upstream {
  return {
    kind,
    prepare: async (request, secret) => ({
      url,
      path: `${prefixOf(url)}/v1/messages${request.call === 'messages' ? '' : '/count_tokens'}${request.beta ? '?beta=true' : ''}`,
      headers: { ...request.headers, ...keyHeaders(keyHeader, secret) },
      body: withModel(request, mappedModel(models, request.parsed.model)),
    }),
    translateStream: () => null,
    translateError: (_status, body) => body,
  };
}

function keyHeaders(name: string, secret: string | null): Record<string, string> {
  if (secret === null) return {};
  return { [name]: name === 'authorization' ? `Bearer ${secret}` : secret };
}

/** Bytes that need no change are not written anew: a prompt that was cached stays the same prompt. */
function withModel({ body, parsed }: ModelRequest, model: string): Buffer {
  return model === parsed.model ? body : Buffer.from(JSON.stringify({ ...parsed, model }));
}
