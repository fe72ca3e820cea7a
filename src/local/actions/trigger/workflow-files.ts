import { objectAt } from '../../git/object-at.ts';
import { parseTree } from '../../git/tree.ts';
import type { Repo } from '../../records/repository.ts';
import { readWorkflow, triggersOf, type WorkflowReading } from '../workflow/parse-workflow.ts';

const FOLDER = '.github/workflows';

/** Reads workflow files out of commits; a file of the same content is read once. */
export class WorkflowFiles {
  readonly #readings = new Map<string, Promise<WorkflowReading>>();
  readonly #events = new WeakMap<
    Repo,
    { readonly tip: string; readonly names: Promise<ReadonlySet<string>> }
  >();

  /** Paths of the workflow files of a commit. */
  async list(repo: Repo, commit: string): Promise<string[]> {
    const folder = await repo.git.object(`${commit}:${FOLDER}`);
    if (folder?.type !== 'tree') return [];
    const files = parseTree(folder.content).filter(
      ({ mode, name }) => mode !== '040000' && /\.ya?ml$/.test(name),
    );
    return files.map(({ name }) => `${FOLDER}/${name}`);
  }

  /** What a file of a commit says, or null when the commit has no such file. */
  async read(repo: Repo, commit: string, path: string): Promise<WorkflowReading | null> {
    const object = await objectAt(repo.git, commit, path);
    if (object?.type !== 'blob') return null;
    const key = `${path} ${object.oid}`;
    const known = this.#readings.get(key) ?? readWorkflow(path, object.content.toString('utf8'));
    this.#readings.set(key, known);
    return known;
  }

  /** Names of the events that the workflows of a branch's tip speak of, served or not. Most of what happens concerns none. */
  eventsOf(repo: Repo, tip: string): Promise<ReadonlySet<string>> {
    const known = this.#events.get(repo);
    if (known?.tip === tip) return known.names;
    const names = this.#readEvents(repo, tip);
    this.#events.set(repo, { tip, names });
    return names;
  }

  async #readEvents(repo: Repo, tip: string): Promise<ReadonlySet<string>> {
    const names = new Set<string>();
    for (const path of await this.list(repo, tip)) {
      const reading = await this.read(repo, tip, path);
      if (reading === null || reading.kind === 'invalid') continue;
      const { unserved, ...served } = triggersOf(reading);
      for (const name of [...unserved, ...Object.keys(served)]) names.add(name);
    }
    return names;
  }

  /** Every file that a workflow calls, however indirectly, as it stands in the same commit. One that is not there is `invalid`. */
  async called(
    repo: Repo,
    commit: string,
    reading: WorkflowReading,
    seen = new Map<string, WorkflowReading>(),
  ): Promise<ReadonlyMap<string, WorkflowReading>> {
    if (reading.kind !== 'parsed') return seen;
    for (const { uses } of Object.values(reading.workflow.body.jobs)) {
      const path = uses?.slice('./'.length);
      if (path === undefined || seen.has(path)) continue;
      const problem = `${path}: workflow was not found`;
      const found = await this.read(repo, commit, path);
      seen.set(path, found ?? { kind: 'invalid', problems: [problem] });
      if (found !== null) await this.called(repo, commit, found, seen);
    }
    return seen;
  }
}
