import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Computation } from '../../domain/command.ts';
import { handoverSchema } from '../../domain/contract.ts';
import type { ComputationOutcome } from '../../domain/outcome.ts';
import type { TaskState } from '../../domain/state.ts';
import { importBundle } from '../../git/import-bundle.ts';
import { handoverFiles } from '../../worker/handover.ts';
import type { ComputeInput } from './compute-input.ts';
import { taskOf } from './compute-input.ts';
import { downloadFiles, jsonOf } from './download.ts';
import { offerTree } from './publish-tree.ts';

type Request = Extract<Computation, { kind: 'import-handover' }>;

/** Takes a worker's tree in: only the tree, and as something that an attacker may have written. */
export async function importHandover(input: ComputeInput, request: Request): Promise<ComputationOutcome> {
  const { issue, attempt, artifactId, sequence } = request;
  const entry = { issue, attempt, artifactId, sequence } as const;
  const unreadable = (reason: string): ComputationOutcome => ({
    kind: 'handover-unreadable',
    ...entry,
    reason,
  });
  const task = taskOf(input, issue);
  const contract = task.attempt?.contract;
  if (contract === undefined || task.attempt === null) return unreadable('no-attempt');
  const download = await downloadFiles(input.context, artifactId);
  if (download.kind === 'unreadable') return unreadable(download.reason);
  const manifest = handoverSchema.safeParse(jsonOf(download.files, handoverFiles.manifest));
  const bundle = download.files.get(handoverFiles.bundle);
  if (!manifest.success || bundle === undefined) return unreadable('handover-malformed');
  if (!speaksOf(manifest.data, task, sequence)) return unreadable('handover-of-another-contract');
  const imported = await importFrom(input, bundle, contract.base, `${attempt}-${artifactId}`);
  if (imported.kind === 'refused') return unreadable(`bundle.${imported.reason}`);
  const { tree } = imported;
  const same =
    tree === contract.baseTree || (task.candidate?.attempt === attempt && task.candidate.tree === tree);
  if (same) return { kind: 'handover-unchanged', ...entry, tree };
  const offered = await offerTree(input, {
    issue,
    attempt,
    sequence,
    base: contract.base,
    baseTree: contract.baseTree,
    tree,
    date: Math.floor(Date.parse(task.attempt.claimedAt) / 1000) + sequence,
  });
  if (offered.kind === 'unjudged') return unreadable(offered.reason);
  if (offered.kind === 'refused') {
    const { commit, findings, moves } = offered;
    return { kind: 'handover-refused', ...entry, tree, commit, findings, moves };
  }
  return {
    kind: 'handover-accepted',
    issue,
    artifactId,
    sequence,
    candidate: offered.candidate,
    moves: offered.moves,
  };
}

type Manifest = ReturnType<typeof handoverSchema.parse>;

function speaksOf(manifest: Manifest, task: TaskState, sequence: number): boolean {
  const attempt = task.attempt;
  return (
    attempt !== null &&
    manifest.attempt === attempt.id &&
    manifest.contractDigest === attempt.contractDigest &&
    manifest.base === attempt.contract.base &&
    manifest.sequence === sequence
  );
}

async function importFrom(input: ComputeInput, bundle: Buffer, base: string, name: string) {
  const file = join(input.context.workDir, `${name}.bundle`);
  await writeFile(file, bundle, { mode: 0o600 });
  return importBundle(input.context.clone, {
    file,
    base,
    scratch: join(input.context.workDir, `${name}.import`),
  });
}
