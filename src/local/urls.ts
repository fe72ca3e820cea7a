import type { Repo } from './records/repository.ts';
import type { Store } from './store.ts';

/** Addresses as this server gives them out: the API under `/api/v3`, pages and git at the root. */
export class Urls {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  get html(): string {
    return this.#store.origin;
  }

  get api(): string {
    return `${this.#store.origin}/api/v3`;
  }

  repoHtml(repo: Repo): string {
    return `${this.html}/${repo.owner.login}/${repo.name}`;
  }

  repoApi(repo: Repo): string {
    return `${this.api}/repos/${repo.owner.login}/${repo.name}`;
  }
}
