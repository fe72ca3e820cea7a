import { type Oid, zeroOid } from '../../domain/ids.ts';
import type { ComputationOutcome } from '../../domain/outcome.ts';
import type { BuildState } from '../../domain/state.ts';
import type { Clone } from '../../git/bare-clone.ts';
import { type MergeResult, mergeCandidates } from '../../git/merge.ts';
import { queueRef } from '../../git/refs.ts';
import { renderBuildMessage } from '../../text/build-message.ts';
import { type ComputeInput, missing } from './compute-input.ts';

/** Merges the members onto trunk and offers the one commit on the queue ref. */
export async function composeBuild(input: ComputeInput, number: number): Promise<ComputationOutcome> {
  const build = buildOf(input, number);
  const { clone } = input.context;
  const stateCommit = input.snapshot.stateHead;
  const gone = await firstMissing(clone, build);
  if (gone !== null) return { kind: 'candidate-gone', number, candidate: gone };
  const merged = await mergeBuild(clone, build, stateCommit);
  if (merged.kind !== 'built')
    return { kind: 'build-conflict', number, candidate: merged.candidate, empty: false };
  const base = await clone.objects.readCommit(build.base);
  if (merged.tree === base.tree) {
    return { kind: 'build-conflict', number, candidate: build.members[0]?.candidate ?? zeroOid, empty: true };
  }
  const ref = queueRef(number);
  const expected = input.snapshot.refs.get(ref) ?? zeroOid;
  const moves = expected === merged.commit ? [] : [{ ref, expected, next: merged.commit }];
  return { kind: 'build-composed', number, commit: merged.commit, tree: merged.tree, stateCommit, moves };
}

/** The first candidate that cannot be had. The commit of a fork's pull request stands on no branch: it is fetched by its id. */
async function firstMissing(clone: Clone, build: BuildState): Promise<Oid | null> {
  for (const { candidate } of build.members) {
    if ((await clone.objects.info(candidate)) !== null) continue;
    if (!(await clone.fetchCommits([candidate]))) return candidate;
  }
  return null;
}

/** The build's commit as its record says it must be: the same record gives the same commit. */
export function mergeBuild(clone: Clone, build: BuildState, stateCommit: string): Promise<MergeResult> {
  return mergeCandidates(clone, {
    base: build.base,
    candidates: build.members.map((member) => member.candidate),
    message: renderBuildMessage({
      build: build.number,
      try: build.try,
      members: build.members.map(({ kind, number, candidate, keyDigest }) => ({
        kind,
        number,
        candidate,
        keyDigest,
      })),
      policyDigest: build.policyDigest,
      state: stateCommit,
    }),
    date: Math.floor(Date.parse(build.madeAt) / 1000),
  });
}

export function buildOf(input: ComputeInput, number: number): BuildState {
  const build = input.state.queue.build;
  if (build === null || build.number !== number) throw missing(`build ${number}`);
  return build;
}
