import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser } from './support/find-browser.ts';
import { EVIL_BRANCH, type HostileWorld, openHostileWorld } from './support/hostile-world.ts';

/** Where pictures of the pages go, for people to look at; none are taken unless it is set. */
const pictures = process.env.CCD_PAGE_PICTURES;

let world: HostileWorld;
let browser: Browser;

describe('pages in a real browser', () => {
  beforeAll(async () => {
    const executablePath = findBrowser();
    world = await openHostileWorld();
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  });

  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  it('notices what a page must not do', async () => {
    const { context, page, seen } = await openTab();
    await page.route('**/*', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<title>pwned</title><img src="http://198.51.100.1/x.png"><script>console.error('ran');alert(1)</script>`,
      }),
    );
    await page.goto(world.github.url, { waitUntil: 'commit' });
    await expect.poll(() => seen.join('\n')).toMatch(/dialog/);
    expect(seen.join('\n')).toMatch(/console[\s\S]*ran/);
    expect(await page.title()).toBe('pwned');
    await context.close();
  });

  it('shows every page that links lead to, and nothing of what is written there runs', async () => {
    const { context, page, seen } = await openTab();
    const visited = await walk(page, seen, ['/', ...(await mainPages())]);
    expect(seen).toEqual([]);
    expect(world.github.store.crashes).toEqual([]);
    expect([...visited].map((path) => path.split('?')[0])).toEqual(
      expect.arrayContaining([
        '/',
        '/ada/demo',
        '/ada/empty',
        '/ada/demo/issues',
        '/ada/demo/issues/1',
        '/ada/demo/pulls',
        '/ada/demo/branches',
        '/ada/demo/actions',
        '/ada/demo/settings/rules',
        '/ada/demo/commits/main',
        `/ada/demo/commits/${EVIL_BRANCH.split('/').map(encodeURIComponent).join('/')}`,
        '/apps/checker',
      ]),
    );
    expect(visited.size).toBeGreaterThan(60);
    await context.close();
  });

  it('stays whole on a phone: nothing is wider than the screen', async () => {
    const { context, page, seen } = await openTab({ width: 390, height: 844 });
    for (const path of await mainPages()) {
      await page.goto(world.github.url + path);
      const { inner, scroll } = await page.evaluate<{ inner: number; scroll: number }>(
        '({ inner: innerWidth, scroll: document.documentElement.scrollWidth })',
      );
      expect(scroll, path).toBeLessThanOrEqual(inner);
    }
    expect(seen).toEqual([]);
    await context.close();
  });

  if (pictures === undefined) return;
  it('leaves pictures', async () => {
    await mkdir(pictures, { recursive: true });
    for (const colorScheme of ['light', 'dark'] as const)
      for (const [name, width] of [
        ['desktop', 1280],
        ['phone', 390],
      ] as const) {
        const { context, page } = await openTab({ width, height: 844 }, colorScheme);
        for (const [index, path] of (await mainPages()).entries()) {
          await page.goto(world.github.url + path);
          const file = `${String(index).padStart(2, '0')}-${path.replace(/[^a-z0-9]+/gi, '-').slice(1, 40)}-${name}-${colorScheme}.png`;
          await page.screenshot({
            path: join(pictures, file),
            clip: { x: 0, y: 0, width, height: 1400 },
            fullPage: true,
          });
        }
        await context.close();
      }
  });
});

/** One page of each kind. */
async function mainPages(): Promise<string[]> {
  const { octokit, owner, repo } = world;
  const [run] = (await octokit.actions.listWorkflowRunsForRepo({ owner, repo })).data.workflow_runs;
  const checks = await octokit.checks.listForRef({ owner, repo, ref: 'feature/one' });
  const guard = checks.data.check_runs.find((one) => one.name.startsWith('guard'))!;
  const pulls = (await octokit.pulls.list({ owner, repo, state: 'all', direction: 'asc' })).data;
  const within = (path: string): string => `/${owner}/${repo}${path}`;
  return [
    '/',
    within(''),
    within('/issues'),
    within('/issues/1'),
    within('/issues/2'),
    within('/pulls?state=all'),
    within(`/pull/${pulls[0]!.number}`),
    within(`/pull/${pulls[0]!.number}/files`),
    within(`/pull/${pulls[1]!.number}`),
    within('/commits/main'),
    within(`/commit/${pulls[0]!.head.sha}`),
    within('/tree/main/odd'),
    within('/blob/main/src/add.js'),
    within(`/tree/${EVIL_BRANCH.split('/').map(encodeURIComponent).join('/')}`),
    within('/branches'),
    within('/actions'),
    within(`/actions/runs/${run!.id}`),
    within(`/runs/${guard.id}`),
    within('/settings/rules'),
    '/ada/empty',
  ];
}

interface Tab {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What a page did that no page may do. */
  readonly seen: string[];
}

async function openTab(
  viewport = { width: 1280, height: 844 },
  colorScheme: 'light' | 'dark' = 'light',
): Promise<Tab> {
  const context = await browser.newContext({ viewport, colorScheme, serviceWorkers: 'block' });
  const page = await context.newPage();
  const seen: string[] = [];
  const at = (): string => page.url().replace(world.github.url, '');
  page.on('dialog', (dialog) => {
    seen.push(`dialog on ${at()}: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => seen.push(`console on ${at()}: ${message.text()}`));
  page.on('pageerror', (error) => seen.push(`error on ${at()}: ${error.message}`));
  page.on('popup', () => seen.push(`popup on ${at()}`));
  context.on('request', (request) => {
    if (!request.url().startsWith(`${world.github.url}/`)) seen.push(`request on ${at()}: ${request.url()}`);
    if (!['document', 'stylesheet'].includes(request.resourceType()))
      seen.push(`${request.resourceType()} on ${at()}`);
  });
  return { context, page, seen };
}

/** Goes from the given pages to all that links lead to: of pages that are one of many to some, to files to none. */
async function walk(page: Page, seen: string[], from: readonly string[]): Promise<Set<string>> {
  const visited = new Set<string>();
  const waiting = [...from];
  const kinds = new Map<string, number>();
  while (waiting.length > 0) {
    const path = waiting.shift()!;
    if (visited.has(path)) continue;
    visited.add(path);
    const answer = await page.goto(world.github.url + path, { waitUntil: 'domcontentloaded' });
    if (answer?.status() !== 200) seen.push(`${answer?.status()} at ${path}`);
    const found = await page.evaluate<{ scripts: number; title: string; whole: boolean; links: string[] }>(`({
      scripts: document.querySelectorAll('script, iframe, object, embed, img, form, [style], [onerror], [onmouseover], main base').length,
      title: document.title,
      whole: document.querySelector('body > footer') !== null && document.body.lastElementChild.tagName === 'FOOTER',
      links: [...document.querySelectorAll('a[href]')].map((a) => a.href),
    })`);
    if (found.scripts > 0 || found.title === 'pwned' || !found.whole) seen.push(`a broken page: ${path}`);
    for (const link of found.links) {
      const url = new URL(link);
      if (!['http:', 'https:'].includes(url.protocol)) seen.push(`a link to ${url.protocol} on ${path}`);
      const next = url.pathname + url.search;
      const isFile = /\/raw\/|\/artifacts\/|\.(?:diff|patch)$/.test(url.pathname);
      if (url.origin !== world.github.url || visited.has(next) || waiting.includes(next) || isFile) continue;
      const kind = kindOf(next);
      const before = kinds.get(kind) ?? 0;
      kinds.set(kind, before + 1);
      if (before < ENOUGH) waiting.push(next);
    }
  }
  return visited;
}

/** Of pages that differ in nothing but a number, a commit, a branch or a filter, so many are looked at. */
const ENOUGH = 2;

/** The address without what makes it one of many. Names of files stay: they are what is hostile. */
const kindOf = (path: string): string =>
  path
    .replace(/\?.*/, '?')
    .replace(/[0-9a-f]{40}|\d+/g, 'n')
    .replace(/\/(?:tree|blob)\/(?:main|n|topic\/\w+|feature\/\w+|evil\/.+?%3E)/, '/at/n');
