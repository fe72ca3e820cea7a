import type { z } from 'zod';
import { CcdError } from '../domain/errors.ts';
import { ApiFailure, isNotFound } from './api-failure.ts';
import type { Failure } from './classify.ts';
import type { ApiBudget, CallCounts, ClientOptions } from './client-options.ts';
import { graphqlAddress, graphqlData } from './graphql.ts';
import { parseAnswer } from './parse-answer.ts';
import { createRead, type Read } from './read.ts';
import { type Answer, type Call, createTransport, type Transport } from './transport.ts';
import { WritePace } from './write-pace.ts';

type Params = Readonly<Record<string, unknown>>;

/** A write that succeeded with a readable answer, or why it did not. An unreadable success counts as `unclear`. */
export type WriteAnswer<T> =
  | { readonly kind: 'done'; readonly status: number; readonly data: T }
  | { readonly kind: 'failed'; readonly failure: Failure };

/**
 * The one door to the API. Reads throw ApiFailure, and CcdError `github.unexpected-answer` when a field is not what it
 * should be. Writes are sent once and never throw for what the server or the network did.
 */
export interface GitHubClient {
  /** Reads one answer. `route`: `GET` and a path template. */
  read<S extends z.ZodType>(route: string, params: Params, schema: S): Promise<z.output<S>>;
  /** Like `read`, with null for what does not exist (404, 410). */
  find<S extends z.ZodType>(route: string, params: Params, schema: S): Promise<z.output<S> | null>;
  /** Reads a list page by page, 100 items each; stop early by leaving the loop. */
  pages<S extends z.ZodType>(route: string, params: Params, schema: S): AsyncGenerator<z.output<S>>;
  /** Sends a GraphQL query. Missing objects are null in the data. */
  query<S extends z.ZodType>(document: string, variables: Params, schema: S): Promise<z.output<S>>;
  /** Sends a write. `content`: it makes something that GitHub's content limit counts. */
  write<S extends z.ZodType>(
    route: string,
    params: Params,
    schema: S,
    kind?: 'write' | 'content',
  ): Promise<WriteAnswer<z.output<S>>>;
  /** Sends a GraphQL mutation. */
  mutate<S extends z.ZodType>(
    document: string,
    variables: Params,
    schema: S,
  ): Promise<WriteAnswer<z.output<S>>>;
  /** The address that a read redirects to, which carries its own right; null when there is nothing to get. */
  redirectOf(route: string, params: Params): Promise<string | null>;
  /** Calls sent so far, repeats included. */
  counts(): CallCounts;
  budget(): ApiBudget | null;
  readonly fetch: typeof globalThis.fetch;
}

/** A list longer than this is not read to its end by anything we do. */
const maxPages = 100;

/** Makes a client for one token source (an installation, the app itself, or a person). */
export function createGitHubClient(options: ClientOptions): GitHubClient {
  const transport = createTransport(options);
  const read = createRead(transport, options);
  const send = createWrite(transport, options);
  const graphql = (kind: Call['kind'], query: string, variables: Params): Call => ({
    kind,
    route: `POST ${graphqlAddress(options.baseUrl)}`,
    params: { query, variables },
  });
  return {
    read: async (route, params, schema) => parseAnswer(route, schema, (await read(get(route, params))).data),
    find: (route, params, schema) => find(read, route, params, schema),
    pages: (route, params, schema) => pages(read, route, params, schema),
    query: async (document, variables, schema) => {
      const answer = await read(graphql('read', document, variables));
      return parseAnswer('GraphQL', schema, graphqlData(answer, options.clock.now()));
    },
    write: (route, params, schema, kind = 'write') =>
      send({ kind, route, params }, schema, (answer) => answer.data),
    mutate: (document, variables, schema) =>
      send(graphql('write', document, variables), schema, (answer) =>
        graphqlData(answer, options.clock.now()),
      ),
    redirectOf: (route, params) => redirectOf(transport, options, route, params),
    counts: () => transport.counts(),
    budget: () => transport.budget(),
    fetch: options.fetch ?? globalThis.fetch,
  };
}

function get(route: string, params: Params): Call {
  return { kind: 'read', route, params };
}

async function find<S extends z.ZodType>(
  read: Read,
  route: string,
  params: Params,
  schema: S,
): Promise<z.output<S> | null> {
  try {
    return parseAnswer(route, schema, (await read(get(route, params))).data);
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

async function* pages<S extends z.ZodType>(
  read: Read,
  route: string,
  params: Params,
  schema: S,
): AsyncGenerator<z.output<S>> {
  for (let page = 1; page <= maxPages; page += 1) {
    const answer = await read(get(route, { ...params, per_page: 100, page }));
    yield parseAnswer(route, schema, answer.data);
    if (!String(answer.headers.link ?? '').includes('rel="next"')) return;
  }
  throw new CcdError({
    code: 'github.list-too-long',
    message: `${route}: the list has more than ${maxPages} pages.`,
    remedy: 'Report this with the log of the run; a part of a list is never taken for the whole.',
    audience: 'bug',
  });
}

function createWrite(transport: Transport, options: ClientOptions) {
  const pace = new WritePace(options.clock, options.writeGapMs);
  return async <S extends z.ZodType>(
    call: Call,
    schema: S,
    dataOf: (answer: Answer) => unknown,
  ): Promise<WriteAnswer<z.output<S>>> => {
    try {
      const token = await options.token();
      const answer = await pace.run(() => transport.send(call, token));
      return readWritten(call.route, schema, answer, dataOf);
    } catch (error) {
      if (error instanceof ApiFailure) return { kind: 'failed', failure: error.failure };
      throw error;
    }
  };
}

/** The write was taken; an answer that cannot be read leaves open what came of it. */
function readWritten<S extends z.ZodType>(
  route: string,
  schema: S,
  answer: Answer,
  dataOf: (answer: Answer) => unknown,
): WriteAnswer<z.output<S>> {
  const parsed = schema.safeParse(dataOf(answer));
  if (parsed.success) return { kind: 'done', status: answer.status, data: parsed.data };
  const message = `${route}: the answer to the write has not the expected shape`;
  return { kind: 'failed', failure: { kind: 'unclear', status: answer.status, message } };
}

async function redirectOf(
  transport: Transport,
  options: ClientOptions,
  route: string,
  params: Params,
): Promise<string | null> {
  try {
    const call: Call = { ...get(route, params), redirect: 'manual' };
    const location = (await transport.send(call, await options.token())).headers.location;
    return typeof location === 'string' ? location : null;
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}
