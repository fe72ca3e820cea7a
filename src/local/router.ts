import type { Access } from './access.ts';
import type { Actor, Principal } from './principal.ts';
import type { Repo } from './records/repository.ts';
import type { Reply } from './reply.ts';
import type { Store } from './store.ts';
import type { Urls } from './urls.ts';
import type { WireRequest } from './wire.ts';

/** What a handler gets: the request, decoded and authorised. */
export interface Context {
  readonly store: Store;
  readonly urls: Urls;
  readonly principal: Principal;
  /** The principal as one who acts; throws for anonymous and bare JWT callers, which `access` keeps out. */
  readonly actor: Actor;
  /** The repository of `{owner}/{repo}`; throws on routes without one. */
  readonly repo: Repo;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Parsed JSON, `{}` when there was none. Hostile until a schema has read it. */
  readonly body: unknown;
  readonly rawBody: Buffer;
  /** Names in lower case. */
  readonly headers: WireRequest['headers'];
  /** Path and query without the mount prefix. */
  readonly url: URL;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One operation of GitHub's REST description, served. */
export interface Route {
  /** As in GitHub's description (`issues/get`): key of contract check, faults and counts. */
  readonly operationId: string;
  readonly method: Method;
  /** As in GitHub's description: `/repos/{owner}/{repo}/issues/{issue_number}`. */
  readonly path: string;
  readonly access: Access;
  /** True for the creation of content that GitHub limits to 80 a minute. */
  readonly content?: boolean;
  /** Counts by what was asked instead of by method. */
  readonly countAs?: (body: unknown) => 'read' | 'write';
  readonly handler: (ctx: Context) => Reply | Promise<Reply>;
}

/** Parameters that may hold slashes. */
const GREEDY = new Set(['ref', 'path', 'basehead', 'branch', 'name', 'commit_sha']);

/** Parameters that are numbers; a workflow may also go by its file's name. */
const NUMBERS = /(?:_number|(?<!workflow)_id)$/;

interface Compiled {
  readonly route: Route;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly weight: number;
}

export interface Match {
  readonly route: Route;
  readonly params: Record<string, string>;
}

/** Routes by method and first words, most literal first, so that `/commits/{ref}/status` wins over `/commits/{ref}`. */
export class Router {
  readonly #byStart = new Map<string, Compiled[]>();

  get routes(): Route[] {
    return [...this.#byStart.values()].flatMap((list) => list.map((entry) => entry.route));
  }

  add(routes: readonly Route[]): void {
    for (const route of routes) {
      const start = startOf(route.method, route.path.replace('/{path}', ''));
      const list = this.#byStart.get(start) ?? [];
      list.push(compile(route));
      list.sort((a, b) => b.weight - a.weight);
      this.#byStart.set(start, list);
    }
  }

  /** The route of a method and an undecoded path; parameters come decoded. */
  match(method: string, path: string): Match | undefined {
    for (const entry of this.#byStart.get(startOf(method, path)) ?? []) {
      const found = entry.pattern.exec(path);
      if (!found) continue;
      const params: Record<string, string> = {};
      entry.names.forEach((name, index) => {
        params[name] = decode(found[index + 1] ?? '');
      });
      return { route: entry.route, params };
    }
    return undefined;
  }
}

/** Method and the words that no route has a parameter for: `GET repos issues`, `GET app`. */
function startOf(method: string, path: string): string {
  const [, first = '', , , fourth = ''] = path.split('/', 5);
  return first === 'repos' ? `${method} repos ${fourth}` : `${method} ${first}`;
}

function compile(route: Route): Compiled {
  const names: string[] = [];
  const source = route.path
    .replace('/{path}', '{path}')
    .replace(/\{([a-z_]+)\}|[.*+?^$()|[\]\\]/g, (text, name: string | undefined) => {
      if (name === undefined) return `\\${text}`;
      names.push(name);
      if (name === 'path') return '(?:/(.*?))?';
      // Other spellings of a number (`0x1`, `1e0`) are no number of anything.
      if (NUMBERS.test(name)) return '(\\d+)';
      return GREEDY.has(name) ? '(.+?)' : '([^/]+)';
    });
  const weight = route.path.split('/').filter((part) => part !== '' && !part.startsWith('{')).length;
  return { route, pattern: new RegExp(`^${source}/?$`), names, weight };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
