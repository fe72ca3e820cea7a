import type { BuildState, Member } from '../../domain/state.ts';
import { blobHistory, mergeBase } from '../../git/history.ts';
import { netChange } from '../../git/net-change.ts';
import { findSurplus, type NetChange } from '../../landing/composition.ts';
import { findSilentReverts } from '../../landing/silent-revert.ts';
import type { RepositoryContext } from '../context.ts';

/** First-parent commits of trunk that are searched for versions it has left. */
const historyDepth = 200;

export interface BuildExamination {
  readonly surplus: readonly string[];
  readonly silentReverts: readonly string[];
}

/** Compares what a build changes with what its members change, and with what trunk has left behind. */
export async function examineBuild(context: RepositoryContext, build: BuildState): Promise<BuildExamination> {
  const { clone } = context;
  const changed: readonly NetChange[] = await netChange(clone, build.base, build.commit ?? build.base);
  const members = await Promise.all(build.members.map((member) => memberChange(context, build, member)));
  const history = await blobHistory(
    clone,
    build.base,
    changed.map(({ path }) => path),
    historyDepth,
  );
  const left = new Map([...history].map(([path, versions]) => [path, versions.map(({ oid }) => oid)]));
  const blobs = changed.map(({ path, before, after }) => ({
    path,
    before: before?.oid ?? null,
    after: after?.oid ?? null,
  }));
  return { surplus: findSurplus(changed, members), silentReverts: findSilentReverts(blobs, left) };
}

/**
 * A task's candidate stands on its contract's base; a person's commit on where it left trunk. Where that is not one commit the
 * member's own change cannot be told, and everything in the build is surplus.
 */
async function memberChange(
  context: RepositoryContext,
  build: BuildState,
  member: Member,
): Promise<readonly NetChange[]> {
  const base = await mergeBase(context.clone, build.base, member.candidate);
  return base === null ? [] : netChange(context.clone, base, member.candidate);
}
