import type { Transform } from 'node:stream';
import type { ModelCall } from './admission.ts';
import type { MessagesBody } from './request-body.ts';

/** A request of the agent's that was let in. */
export interface ModelRequest {
  readonly call: ModelCall;
  readonly beta: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly parsed: MessagesBody;
}

/** One HTTP request, always a POST, as it goes out. */
export interface UpstreamCall {
  readonly url: URL;
  /** The path as it is sent, with its query; a URL object would write some characters another way. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What is behind the gateway: how a Messages request becomes one of its own, and its answers Messages answers again. */
export interface Upstream {
  readonly kind: 'anthropic' | 'messages' | 'bedrock' | 'vertex';
  /** Null when there is no such call there. `secret`: the slot's key or token; null where none is needed. */
  prepare(request: ModelRequest, secret: string | null): Promise<UpstreamCall | null>;
  /** Turns a stream that is not the Messages API's into one; null when there is nothing to turn. */
  translateStream(contentType: string): Transform | null;
  /** An error body in the words of the Messages API. */
  translateError(status: number, body: Buffer): Buffer;
}

/** The id under which the upstream knows a model: by the table, else as it is. */
export function mappedModel(models: Readonly<Record<string, string>>, model: string): string {
  return Object.hasOwn(models, model) ? (models[model] ?? model) : model;
}

/** The path of a configured address without a slash at its end, as prefix of what follows. */
export function prefixOf(url: URL): string {
  return url.pathname.replace(/\/+$/, '');
}
