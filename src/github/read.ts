import { ApiFailure } from './api-failure.ts';
import type { ClientOptions } from './client-options.ts';
import { EtagCache } from './etag-cache.ts';
import type { Answer, Call, Transport } from './transport.ts';

const maxRepeats = 2;
const firstWaitMs = 500;
const cachedAnswers = 500;

/** Sends a read: repeated twice when the answer stays away or is a 5xx, and answered from the cache after a 304. */
export type Read = (call: Call) => Promise<Answer>;

export function createRead(transport: Transport, options: ClientOptions): Read {
  const cache = new EtagCache(cachedAnswers);
  return async (call) => {
    for (let repeats = 0; ; repeats += 1) {
      try {
        return call.route.startsWith('GET ')
          ? await readCached(transport, cache, call, await options.token())
          : await transport.send(call, await options.token());
      } catch (error) {
        if (!isUnclear(error) || repeats >= maxRepeats) throw error;
        await options.clock.sleep(firstWaitMs * 2 ** repeats * (0.5 + options.random()));
      }
    }
  };
}

function isUnclear(error: unknown): boolean {
  return error instanceof ApiFailure && error.failure.kind === 'unclear';
}

async function readCached(
  transport: Transport,
  cache: EtagCache,
  call: Call,
  token: string,
): Promise<Answer> {
  cache.useToken(token);
  const address = transport.address(call);
  const known = cache.get(address);
  const headers = known === null ? { ...call.headers } : { ...call.headers, 'if-none-match': known.etag };
  const answer = await transport.send({ ...call, headers }, token);
  if (answer.status === 304 && known !== null)
    return { status: 200, data: known.data, headers: known.headers };
  const etag = answer.headers.etag;
  if (answer.status === 200 && typeof etag === 'string')
    cache.set(address, token, { etag, data: answer.data, headers: answer.headers });
  return answer;
}
