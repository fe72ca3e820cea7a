import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LocalActions } from '../actions/actions.ts';
import { movedTo } from '../moved-repos.ts';
import type { LocalGitHub } from '../server.ts';
import { type Found, findPage } from './find-page.ts';
import { html } from './html.ts';
import { layout, STYLE_PATH } from './layout.ts';
import { links } from './links.ts';
import { page, type View, type Visit } from './page.ts';
import { STYLE } from './style.ts';

/** Nothing runs, nothing is loaded but the one stylesheet, nobody frames it. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/**
 * Serves pages for a person at the addresses of github.com: of every repository, private ones too, to whoever reaches the port.
 * For a server that one person started on a loopback address, therefore; names other than loopback ones are refused, because a
 * page on the web can point its own name here (DNS rebinding). Where a REST operation has the same address, a page is what a
 * caller gets that asks for HTML.
 */
export function mountPages(github: LocalGitHub, actions: LocalActions | null): void {
  github.mountRaw((request, response, url) => {
    const wantsHtml = /\btext\/html\b/.test(request.headers.accept ?? '');
    if (isOthers(url.pathname, request.method ?? 'GET')) return false;
    const isStyle = url.pathname === STYLE_PATH;
    const found = findPage(url.pathname);
    if (found === null && !isStyle && !wantsHtml) return false;
    if (!wantsHtml && github.router.match('GET', url.pathname) !== undefined) return false;
    const send = sender(request, response);
    if (!isLoopbackName(request.headers.host ?? '')) {
      send(421, page('Refused', html`<p>This server answers to 127.0.0.1 and localhost only.</p>`));
    } else if (isStyle) {
      send(200, { kind: 'file', type: 'text/css; charset=utf-8', name: null, data: Buffer.from(STYLE) });
    } else {
      const { params = {} } = found ?? {};
      const { store } = github;
      const visit = { store, actions, params, query: url.searchParams, path: url.pathname, request };
      void answer(visit, found)
        .then((view) => (view === null ? send(404, notFound()) : send(200, view)))
        // Also what laying out and sending throw.
        .catch((fault: unknown) => send(500, broken(github, url.pathname, fault)));
    }
    return true;
  });
}

/** Addresses of the API, of git and of Actions' own services; and every method that changes. */
function isOthers(path: string, method: string): boolean {
  if (method !== 'GET' && method !== 'HEAD') return true;
  return /^\/(?:api(?:\/|$)|_actions\/|twirp\/)|\/info\/refs$|\/git-(?:upload|receive)-pack$/.test(path);
}

const isLoopbackName = (host: string): boolean =>
  /^(?:127(?:\.\d{1,3}){3}|\[::1\]|(?:[a-z0-9-]+\.)*localhost)(?::\d{1,5})?$/i.test(host);

async function answer(visit: Visit, found: Found | null): Promise<View | null> {
  if (found === null) return null;
  if (found.kind === 'plain') return found.show(visit);
  const { owner = '', repo: name = '' } = found.params;
  const repo = visit.store.repoByName(owner, name);
  if (repo !== undefined) return found.show({ ...visit, repo });
  const renamed = movedTo([...visit.store.repos.values()], `${owner}/${name}`);
  if (renamed === undefined) return null;
  return {
    kind: 'moved',
    to:
      links.repo(renamed) +
      visit.path
        .split('/')
        .slice(3)
        .map((part) => `/${part}`)
        .join(''),
  };
}

function sender(request: IncomingMessage, response: ServerResponse): (status: number, view: View) => void {
  return (status, view) => {
    if (view.kind === 'moved') {
      response.writeHead(302, { ...HEADERS, location: view.to }).end();
      return;
    }
    const file = view.kind === 'file';
    const body = file ? view.data : Buffer.from(layout(view));
    response.writeHead(status, {
      ...HEADERS,
      'content-type': file ? view.type : 'text/html; charset=utf-8',
      'content-length': String(body.length),
      ...(file && view.name !== null ? { 'content-disposition': attachment(view.name) } : {}),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
}

const attachment = (name: string): string =>
  `attachment; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, '_')}`;

const notFound = (): View =>
  page(
    'Not found',
    html`<div class="empty"><h1>Not found</h1><p>There is no such page here. <a href="/">All repositories</a></p></div>`,
  );

/** A view that throws is a defect of this server: it is noted where tests look, and told. */
function broken(github: LocalGitHub, path: string, fault: unknown): View {
  const message = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
  github.store.crashes.push(`page ${path}: ${message}`);
  return page(
    'Broken',
    html`<h1>This page is broken</h1><p>A defect of the local GitHub.</p><pre class="plain">${message}</pre>`,
  );
}
