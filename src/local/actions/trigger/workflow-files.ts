import type { Repo } from '../../records/repository.ts';
import { readWorkflow, type WorkflowReading } from '../workflow/parse-workflow.ts';

const FOLDER = '.github/workflows';

/** Reads workflow files out of commits; a file of the same content is read once. */
export class WorkflowFiles {
  readonly #readings = new Map<string, Promise<WorkflowReading>>();

  /** Paths of the workflow files of a commit. */
  async list(repo: Repo, commit: string): Promise<string[]> {
    if ((await repo.git.object(`${commit}:${FOLDER}`))?.type !== 'tree') return [];
    const { stdout } = await repo.git.run(['ls-tree', '-z', '--name-only', `${commit}:${FOLDER}`]);
    const names = stdout.toString('utf8').split('\0');
    return names.filter((name) => /\.ya?ml$/.test(name)).map((name) => `${FOLDER}/${name}`);
  }

  /** What a file of a commit says, or null when the commit has no such file. */
  async read(repo: Repo, commit: string, path: string): Promise<WorkflowReading | null> {
    const object = await repo.git.object(`${commit}:${path}`);
    if (object?.type !== 'blob') return null;
    const key = `${path} ${object.oid}`;
    const known = this.#readings.get(key) ?? readWorkflow(path, object.content.toString('utf8'));
    this.#readings.set(key, known);
    return known;
  }
}
