import type { Effect } from '../../domain/command.ts';
import { unreachable } from '../../domain/errors.ts';
import type { IssueNumber } from '../../domain/ids.ts';
import type { EffectOutcome } from '../../domain/outcome.ts';
import { cancelRun } from '../../github/apply/cancel-run.ts';
import { closeIssue } from '../../github/apply/close-issue.ts';
import { createComment } from '../../github/apply/create-comment.ts';
import { createPull } from '../../github/apply/create-pull.ts';
import { deleteComment } from '../../github/apply/delete-comment.ts';
import { dispatchWorkflow } from '../../github/apply/dispatch-workflow.ts';
import { markReady } from '../../github/apply/mark-ready.ts';
import { setLabels } from '../../github/apply/set-labels.ts';
import { updateComment } from '../../github/apply/update-comment.ts';
import { updateIssue } from '../../github/apply/update-issue.ts';
import { updatePull } from '../../github/apply/update-pull.ts';
import type { WriteOutcome } from '../../github/apply/write-outcome.ts';
import { findMarked } from '../../github/observe/comments.ts';
import { runBranch, workerWorkflow } from '../../supervisor/attempts.ts';
import { renderReply } from '../../text/command-reply.ts';
import { renderMarker } from '../../text/marker.ts';
import type { ComputeInput } from '../compute/compute-input.ts';
import { dispatchFacts } from './dispatch-facts.ts';
import { putGuardCheck } from './put-guard-check.ts';
import { putLandingCheck } from './put-landing-check.ts';
import { settled } from './settled.ts';

/** Makes one write to GitHub and says what came of it. Never repeats; never throws for what the server did. */
export async function applyEffect(input: ComputeInput, effect: Effect): Promise<EffectOutcome> {
  const { client, name } = input.context;
  switch (effect.kind) {
    case 'create-status-comment':
      return settled(
        effect.kind,
        await createOnce(input, effect.issue, renderMarker('status', { issue: effect.issue }), effect.body),
      );
    case 'update-comment':
      return settled(
        effect.kind,
        await updateComment(client, name, { id: effect.commentId, body: effect.body }),
      );
    case 'delete-comment':
      return settled(effect.kind, await deleteComment(client, name, { id: effect.commentId }));
    case 'update-control-issue':
      return settled(
        effect.kind,
        await updateIssue(client, name, { number: effect.number, body: effect.body }),
      );
    case 'reply':
      return settled(
        effect.kind,
        await createOnce(
          input,
          effect.number,
          renderMarker('reply', { to: effect.to }),
          renderReply(effect.to, effect.body),
        ),
      );
    case 'set-labels':
      return settled(
        effect.kind,
        await setLabels(client, name, {
          number: effect.issue,
          add: effect.add,
          remove: effect.remove,
          definitions: [],
        }),
      );
    case 'create-pull':
      return settled(effect.kind, await createPull(client, name, effect));
    case 'update-pull':
      return settled(effect.kind, await updatePull(client, name, { number: effect.pull, body: effect.body }));
    case 'close-pull':
      return settled(effect.kind, await updatePull(client, name, { number: effect.pull, state: 'closed' }));
    case 'mark-ready':
      return settled(effect.kind, await markReady(client, effect.nodeId));
    case 'put-guard-check':
      return settled(effect.kind, await putGuardCheck(input, effect));
    case 'put-landing-check':
      return settled(effect.kind, await putLandingCheck(input, effect));
    case 'dispatch-worker':
      return settled(effect.kind, await dispatchWorker(input, effect));
    case 'dispatch-facts':
      return dispatchFacts(input, effect);
    case 'cancel-run':
      return settled(effect.kind, await cancelRun(client, name, { id: effect.runId, force: effect.force }));
    case 'close-issue':
      return settled(effect.kind, await closeIssue(client, name, { number: effect.issue, as: effect.as }));
    default:
      return unreachable(effect);
  }
}

/** A comment is looked for by its marker before it is made: the one that a crash or a lost answer hid is not made again. */
async function createOnce(
  input: ComputeInput,
  number: IssueNumber,
  marker: string,
  body: string,
): Promise<WriteOutcome> {
  const { client, name, app } = input.context;
  const standing = await findMarked(client, name, number, { marker, botId: app.botId });
  if (standing !== null) return { kind: 'exists' };
  return createComment(client, name, { number, body });
}

function dispatchWorker(
  input: ComputeInput,
  effect: Extract<Effect, { kind: 'dispatch-worker' }>,
): Promise<WriteOutcome> {
  const { client, name } = input.context;
  return dispatchWorkflow(client, name, {
    workflow: workerWorkflow.split('/').at(-1)!,
    ref: `refs/heads/${runBranch}`,
    inputs: { attempt: effect.attempt, contract: effect.contractDigest },
  });
}
