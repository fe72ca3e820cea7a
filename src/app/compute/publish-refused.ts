import type { ComputationOutcome } from '../../domain/outcome.ts';
import { parseCandidateMessage } from '../../text/candidate-message.ts';
import { type ComputeInput, taskOf } from './compute-input.ts';
import { offerTree } from './publish-tree.ts';

/** Offers a refused tree again under the waivers of now. */
export async function publishRefused(input: ComputeInput, issue: number): Promise<ComputationOutcome> {
  const { objects } = input.context.clone;
  const refused = taskOf(input, issue).refused;
  if (refused === null) return { kind: 'refused-stands', issue };
  const commit = await objects.readCommit(refused.commit);
  const said = parseCandidateMessage(commit.message);
  if (said === null) return { kind: 'refused-stands', issue };
  const base = await objects.readCommit(said.base);
  const offered = await offerTree(input, {
    issue,
    attempt: said.attempt,
    sequence: Math.max(1, taskOf(input, issue).attempt?.lastSequence ?? 1),
    base: said.base,
    baseTree: base.tree,
    tree: commit.tree,
    date: Math.floor(input.context.clock.now() / 1000),
  });
  if (offered.kind !== 'candidate') return { kind: 'refused-stands', issue };
  return { kind: 'refused-published', issue, candidate: offered.candidate, moves: offered.moves };
}
