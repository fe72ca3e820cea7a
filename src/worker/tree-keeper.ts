import { join } from 'node:path';
import type { Oid } from '../domain/ids.ts';
import type { BoundAttempt } from './bound-attempt.ts';
import { handOver } from './handover.ts';
import { keepFiles } from './kept-files.ts';
import type { WorkTreeReading } from './work-tree/work-tree.ts';

/** `saved`: the tree is there for the app, uploaded now or before. */
export type Saving = 'saved' | 'secret-found' | 'upload-failed';

/** Hands an attempt's trees over in the order of their sequence, each once; one that cannot be uploaded stays on the machine. */
export class TreeKeeper {
  /** Tree of the last hand-over. */
  tree: Oid | null = null;
  lastSequence = 0;
  readonly #attempt: BoundAttempt;

  constructor(attempt: BoundAttempt) {
    this.#attempt = attempt;
  }

  async save(reading: WorkTreeReading): Promise<Saving> {
    if (reading.tree === this.tree) return 'saved';
    const { contract, clone, folders, tools, job } = this.#attempt;
    const sequence = this.lastSequence + 1;
    const folder = join(folders.private, `handover-${sequence}`);
    const { contractDigest } = job;
    const plan = { contract, contractDigest, sequence, reading, folder };
    const result = await handOver(plan, { ...tools, clone });
    if (result.kind === 'handed-over') {
      this.tree = reading.tree;
      this.lastSequence = sequence;
      tools.log.info('a tree was handed over', { sequence, tree: reading.tree });
      return 'saved';
    }
    if (result.kind === 'refused') {
      const paths = result.leaks.map(({ path, found }) => `${path} (${found.join(', ')})`);
      tools.log.error('the tree holds something shaped like a secret and stays here', { paths });
      return 'secret-found';
    }
    const kept = await keepFiles(job, [result.keptAt]);
    tools.log.error('the tree could not be uploaded', { tree: reading.tree, kept });
    return 'upload-failed';
  }
}
