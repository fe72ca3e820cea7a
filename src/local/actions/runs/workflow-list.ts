import { nodeId } from '../../node-id.ts';
import type { Repo } from '../../records/repository.ts';
import type { Store } from '../../store.ts';
import type { WorkflowRecord } from './records.ts';

/** The workflows that are known: one record per path of a repository. */
export class WorkflowList {
  readonly #store: Store;
  /** By id. */
  readonly all = new Map<number, WorkflowRecord>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The record of a workflow file, made at the first call; its name follows the file. */
  of(repo: Repo, path: string, name: string): WorkflowRecord {
    const known = this.in(repo).find((one) => one.path === path);
    if (known !== undefined) return Object.assign(known, { name });
    const id = this.#store.nextId('workflow');
    const now = this.#store.now();
    const record = { id, nodeId: nodeId('W', id), repo, path, name, createdAt: now, updatedAt: now, runs: 0 };
    this.all.set(id, record);
    return record;
  }

  in(repo: Repo): WorkflowRecord[] {
    return [...this.all.values()].filter((one) => one.repo === repo);
  }
}
