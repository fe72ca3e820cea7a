import type { Show, ShowInRepo } from './page.ts';
import { PLAIN_PAGES, REPO_PAGES } from './page-routes.ts';

type Params = Readonly<Record<string, string>>;

/** What stands at an address: who shows it, and the decoded parts of the address. */
export type Found =
  | { readonly kind: 'plain'; readonly show: Show; readonly params: Params }
  | { readonly kind: 'repo'; readonly show: ShowInRepo; readonly params: Params };

const plain = PLAIN_PAGES.map(([pattern, show]) => ({ show, ...compile(pattern) }));
const inRepo = REPO_PAGES.map(([pattern, show]) => ({ show, ...compile(`/{owner}/{repo}${pattern}`) }));

/** Finds the page of an undecoded path. */
export function findPage(path: string): Found | null {
  for (const { show, ...pattern } of plain) {
    const params = read(pattern, path);
    if (params !== null) return { kind: 'plain', show, params };
  }
  for (const { show, ...pattern } of inRepo) {
    const params = read(pattern, path);
    if (params !== null) return { kind: 'repo', show, params };
  }
  return null;
}

interface Pattern {
  readonly regexp: RegExp;
  readonly names: readonly string[];
}

function compile(pattern: string): Pattern {
  const names: string[] = [];
  const source = pattern.replace(/\{([a-z]+)\}|\./g, (text, name: string | undefined) => {
    if (name === undefined) return `\\${text}`;
    names.push(name);
    if (name === 'rest') return '(.+)';
    return name === 'format' ? '(diff|patch)' : '([^/]+?)';
  });
  return { regexp: new RegExp(`^${source}/?$`), names };
}

function read({ regexp, names }: Pattern, path: string): Params | null {
  const match = regexp.exec(path);
  if (match === null) return null;
  const params: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const value = decode(match[index + 1]!);
    if (value === null) return null;
    params[name] = value;
  }
  return params;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
