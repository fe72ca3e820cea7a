import type { LocalGitHub } from '../server.ts';
import { STYLE_PATH } from './layout.ts';

/** A request that was answered, as a person may watch it go by. */
export interface SeenRequest {
  readonly method: string;
  /** Without the query, which may hold signatures; printable ASCII only. */
  readonly path: string;
  /** 0 when the connection broke off before an answer. */
  readonly status: number;
  readonly milliseconds: number;
}

/** Tells of every request by whatever door, once its answer is out. Of the stylesheet it does not tell. */
export function watchRequests(github: LocalGitHub, tell: (request: SeenRequest) => void): void {
  github.mountRaw((request, response, url) => {
    if (url.pathname === STYLE_PATH) return false;
    const began = performance.now();
    response.once('close', () =>
      tell({
        method: request.method ?? '',
        path: url.pathname.replace(/[^\x21-\x7e]/g, '?').slice(0, 200),
        status: response.headersSent ? response.statusCode : 0,
        milliseconds: Math.round(performance.now() - began),
      }),
    );
    return false;
  });
}
