import { z } from 'zod';

const messageSchema = z.looseObject({ message: z.string() });
const errorSchema = z.union([
  z.looseObject({ type: z.literal('error') }).transform(() => null),
  z.looseObject({ error: messageSchema }).transform(({ error }) => error.message),
  messageSchema.transform(({ message }) => message),
  z.looseObject({ Message: z.string() }).transform(({ Message }) => Message),
  z.tuple([z.looseObject({ error: messageSchema })]).transform(([{ error }]) => error.message),
]);

/**
 * An error of a cloud in the words of the Messages API, by its status. One that is in these words already stays as it is. What is
 * too long for the model keeps a wording by which the agent knows it.
 */
export function cloudError(status: number, body: Buffer): Buffer {
  const said = messageOf(body);
  if (said === null) return body;
  const message = /input is too long/i.test(said) ? `prompt is too long: ${said}` : said;
  return Buffer.from(JSON.stringify({ type: 'error', error: { type: errorType(status), message } }));
}

function messageOf(body: Buffer): string | null {
  const text = body.toString('utf8');
  try {
    const parsed = errorSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : text.slice(0, 500);
  } catch {
    return text.slice(0, 500);
  }
}

export function errorType(status: number): string {
  switch (status) {
    case 401:
      return 'authentication_error';
    case 403:
      return 'permission_error';
    case 404:
      return 'not_found_error';
    case 413:
      return 'request_too_large';
    case 429:
      return 'rate_limit_error';
    case 503:
    case 529:
      return 'overloaded_error';
    default:
      return status < 500 ? 'invalid_request_error' : 'api_error';
  }
}
