import type { RefOutcome } from '../refs/move-refs.ts';
import { forbidden, type Reply, unprocessable } from '../reply.ts';

type Refused = Extract<RefOutcome, { kind: 'refused' }>;

/** What GitHub says over REST of broken rules. */
export function ruleText(outcome: Refused): string {
  const lines = outcome.messages.filter((line) => line.startsWith('- ')).map((line) => line.slice(2));
  return `Repository rule violations found\n\n${lines.join('\n')}`;
}

/** What GitHub says over REST when a ref cannot move. */
export function refusalReply(outcome: Refused): Reply {
  switch (outcome.cause) {
    case 'rules':
      return unprocessable(ruleText(outcome));
    case 'workflows':
      return forbidden(`Resource not accessible by integration: ${outcome.reason}`);
    case 'hidden':
    case 'current-branch':
      return unprocessable('Reference cannot be updated');
    case 'name':
      return unprocessable(`${outcome.ref} is not a valid ref name.`);
    case 'object':
      return unprocessable('Object does not exist');
    default:
      // All that GitHub says, of a ref that is in the way of another as well.
      return unprocessable('Reference update failed');
  }
}
