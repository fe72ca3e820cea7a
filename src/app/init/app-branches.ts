import { CcdError } from '../../domain/errors.ts';
import type { Oid } from '../../domain/ids.ts';
import type { Clone } from '../../git/bare-clone.ts';
import { commitTree, writeBlob, writeTree } from '../../git/write-objects.ts';
import { appPerson } from '../compute/publish-tree.ts';
import { readFileAt } from '../observe/read-policy.ts';

const maxWorkflowBytes = 256 * 1024;

/** Workflows that live on the app-only branches, and the branch of each. */
export const appWorkflows = {
  run: '.github/workflows/ccd-worker.yml',
  facts: '.github/workflows/ccd-guard.yml',
} as const;

/**
 * Writes the orphan commit of an app-only branch: one workflow of trunk and nothing else, so that a worker's caches and
 * identity tokens are worth nothing elsewhere and no other workflow starts. The same workflow gives the same commit.
 * Throws `init.workflow-missing` when trunk has no such file.
 */
export async function writeAppBranch(clone: Clone, trunk: Oid, workflow: string): Promise<Oid> {
  const file = await readFileAt(clone.objects, trunk, workflow, maxWorkflowBytes);
  if (file.kind !== 'text') {
    throw new CcdError({
      code: 'init.workflow-missing',
      message: `Trunk has no readable ${workflow}.`,
      remedy: 'Put the files of `ccd init --scaffold <checkout>` on trunk first, then run `ccd init` again.',
      audience: 'operator',
    });
  }
  const blob = await writeBlob(clone.dir, file.text);
  const tree = await writeTree(clone.dir, [{ mode: '100644', oid: blob, path: workflow }]);
  return commitTree(clone.dir, {
    tree,
    parents: [],
    message: 'ccd: workflow of the app\n',
    date: 0,
    person: appPerson,
  });
}
