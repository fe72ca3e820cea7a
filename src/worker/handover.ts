import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { artifactNames, type Handover, handoverSchema, type SpawnContract } from '../domain/contract.ts';
import type { Digest } from '../domain/digest.ts';
import type { Oid } from '../domain/ids.ts';
import type { Clone } from '../git/bare-clone.ts';
import { changedBlobs } from '../git/changed-blobs.ts';
import { type LeakedSecret, leakedSecrets } from '../git/leaked-secrets.ts';
import { git } from '../git/run-git.ts';
import { commitTree } from '../git/write-objects.ts';
import type { Clock } from '../host/clock.ts';
import { writeFileAtomic } from '../host/files.ts';
import type { Redactor } from '../host/redact.ts';
import type { ArtifactStore } from './artifact-store.ts';
import { uploadWithRetries } from './upload.ts';
import type { WorkTreeReading } from './work-tree/work-tree.ts';

/** The only ref that a hand-over's bundle holds. */
export const handoverRef = 'refs/ccd/handover';
export const handoverFiles = { bundle: 'handover.bundle', manifest: 'handover.json' } as const;

export type HandoverResult =
  | { readonly kind: 'handed-over'; readonly handover: Handover }
  | { readonly kind: 'refused'; readonly leaks: readonly LeakedSecret[] }
  | { readonly kind: 'not-uploaded'; readonly handover: Handover; readonly keptAt: string };

export interface HandoverPlan {
  readonly contract: SpawnContract;
  readonly contractDigest: Digest;
  readonly sequence: number;
  readonly reading: WorkTreeReading;
  /** A folder of the parent's for the files of this hand-over. */
  readonly folder: string;
}

export interface HandoverTools {
  /** The parent's own repository, with base and the reading's objects. */
  readonly clone: Clone;
  readonly artifacts: ArtifactStore;
  readonly redactor: Redactor;
  readonly clock: Clock;
}

/** Who the throw-away commit says it is by: the same for all, so that equal trees give equal commits. */
const author = { name: 'ccd', email: 'ccd@users.noreply.github.com' } as const;

/**
 * Packs a tree into one throw-away commit on base, in a bundle that needs base and holds one ref, and uploads it as an
 * artifact of this run. A tree with a secret in it is refused with the paths named; an upload that fails for good is kept.
 */
export async function handOver(plan: HandoverPlan, tools: HandoverTools): Promise<HandoverResult> {
  const changes = await changedBlobs(tools.clone, plan.contract.base, plan.reading.tree);
  const leaks = await leakedSecrets(tools.clone.objects, changes, tools.redactor);
  if (leaks.length > 0) return { kind: 'refused', leaks };
  const handover = await writeBundle(plan, tools.clone.dir);
  const files = [handoverFiles.bundle, handoverFiles.manifest].map((name) => join(plan.folder, name));
  const name = artifactNames.handover(plan.contract.attempt, plan.sequence);
  const uploaded = await uploadWithRetries(
    tools.artifacts,
    { name, folder: plan.folder, files },
    tools.clock,
  );
  if (!uploaded) return { kind: 'not-uploaded', handover, keptAt: plan.folder };
  await rm(plan.folder, { recursive: true, force: true });
  return { kind: 'handed-over', handover };
}

async function writeBundle(plan: HandoverPlan, gitDir: string): Promise<Handover> {
  const { contract, reading, folder } = plan;
  const commit = await throwAwayCommit(gitDir, reading.tree, contract.base);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await git({ gitDir, args: ['update-ref', handoverRef, commit] });
  const bundle = join(folder, handoverFiles.bundle);
  await git({ gitDir, args: ['bundle', 'create', '--quiet', bundle, handoverRef, `^${contract.base}`] });
  const handover = handoverSchema.parse({
    version: 1,
    attempt: contract.attempt,
    contractDigest: plan.contractDigest,
    sequence: plan.sequence,
    base: contract.base,
    commit,
    tree: reading.tree,
  });
  await writeFileAtomic(join(folder, handoverFiles.manifest), `${JSON.stringify(handover, null, 2)}\n`);
  return handover;
}

function throwAwayCommit(gitDir: string, tree: Oid, base: Oid): Promise<Oid> {
  return commitTree(gitDir, { tree, parents: [base], message: 'hand-over\n', date: 0, person: author });
}
