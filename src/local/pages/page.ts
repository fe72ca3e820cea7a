import type { IncomingMessage } from 'node:http';
import type { LocalActions } from '../actions/actions.ts';
import type { Repo } from '../records/repository.ts';
import type { Store } from '../store.ts';
import type { Html } from './html.ts';

/** What a view makes: a page, a file as it is, or another address. Null stands for "there is no such page". */
export type View =
  | {
      readonly kind: 'page';
      readonly title: string;
      readonly body: Html;
      readonly repo?: Repo;
      readonly tab?: Tab;
    }
  | { readonly kind: 'file'; readonly type: string; readonly name: string | null; readonly data: Buffer }
  | { readonly kind: 'moved'; readonly to: string };

export type Tab = 'code' | 'issues' | 'pulls' | 'actions' | 'commits' | 'branches' | 'rules';

/** What a view may look at. */
export interface Visit {
  readonly store: Store;
  /** Null when this GitHub runs no Actions. */
  readonly actions: LocalActions | null;
  /** Decoded parts of the address, by the names in its pattern. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly path: string;
  readonly request: IncomingMessage;
}

/** A visit of something in a repository. */
export interface RepoVisit extends Visit {
  readonly repo: Repo;
}

type Answer = View | null | Promise<View | null>;
export type Show = (visit: Visit) => Answer;
export type ShowInRepo = (visit: RepoVisit) => Answer;

export function page(title: string, body: Html): View {
  return { kind: 'page', title, body };
}

export function repoPage(repo: Repo, tab: Tab, title: string, body: Html): View {
  return { kind: 'page', title, body, repo, tab };
}
